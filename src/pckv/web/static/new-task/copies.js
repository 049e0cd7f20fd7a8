// The values of the form for another run of a task or of a series, or for what a discovery found; and what to say of it.
import { day, t } from "../shared/language.js";
import { plural } from "../shared/page.js";
import { ask } from "../shared/request.js";
import { isDiscovery } from "../shared/task-words.js";
import { valuesOfFound } from "./discovery-fields.js";
import { daysOf, firstOf, valuesOfAccess } from "./people-fields.js";
import { valuesOfSeries, valuesOfTask } from "./task-form.js";

// What is not part of a survey, or is over, has to be said again.
function filledIn({ name, ...task }, { users, past, isOpen }) {
  const left = [
      isDiscovery(task) || task.more === "refuse" ? null : t("how many answers people typically choose"),
      users ? null : t("how many people you expect"),
      past,
    ].filter(Boolean),
    said = t("Filled in from “{name}”.", { name });
  return [
    said,
    left.length ? t("Not taken over: {list}.", { list: left.join("; ") }) : null,
    isOpen ? t("That survey stays open until you close it, and its links do not lead to the copy.") : null,
  ]
    .filter(Boolean)
    .join(" ");
}

export async function copiedTask(id) {
  const path = `/tasks/${encodeURIComponent(id)}`,
    [task, overview] = await Promise.all([ask("GET", path), ask("GET", `${path}/overview`)]),
    days = daysOf(task),
    past = days.past && t("the last day, which is past ({day})", { day: day(days.past) });
  return {
    words: filledIn(task, { users: overview.target, past, isOpen: overview.phase === "open" }),
    values: { ...valuesOfTask(task, overview.target), ...valuesOfAccess(overview), ...days.values },
  };
}

export async function copiedSeries(id) {
  const contract = await ask("GET", `/series/${encodeURIComponent(id)}`),
    first = firstOf(contract.first),
    past = first ? null : t("the first day of round 1, which is past ({day})", { day: day(contract.first) });
  return {
    words: filledIn(contract.task, { users: null, past, isOpen: false }),
    values: { ...valuesOfSeries(contract), first },
  };
}

export async function foundKeys(id) {
  const path = `/tasks/${encodeURIComponent(id)}`,
    [task, { keys }] = await Promise.all([ask("GET", path), ask("GET", `${path}/discovery`)]),
    cut = keys.some((key) => key.is_cut),
    found = t("Filled in with {answers} that “{name}” found; everything else counts as one more answer.", {
      answers: plural(keys.length, "answer option"),
      name: task.name,
    });
  return {
    values: valuesOfFound(task, keys),
    words: [
      found,
      cut ? t("Some may be longer: complete them if you can.") : null,
      t("People who took part there give up more of their privacy here."),
    ]
      .filter(Boolean)
      .join(" "),
  };
}
