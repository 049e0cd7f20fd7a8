// The values of the form for another run of a task or of a series, or for what a discovery found; and what to say of it.
import { t } from "../shared/language.js";
import { ask, plural } from "../shared/page.js";
import { isDiscovery } from "../shared/task-words.js";
import { valuesOfFound } from "./discovery-fields.js";
import { valuesOfSeries, valuesOfTask } from "./task-form.js";

const filledIn = ({ name, ...task }) =>
  isDiscovery(task)
    ? t("Filled in from “{name}”.", { name })
    : t("Filled in from “{name}”. How many answers people typically choose is not part of a survey: say it again.", {
        name,
      });

export async function copiedTask(id) {
  const path = `/tasks/${encodeURIComponent(id)}`,
    [task, { target }] = await Promise.all([ask("GET", path), ask("GET", `${path}/overview`)]);
  return { words: filledIn(task), values: valuesOfTask(task, target) };
}

export async function copiedSeries(id) {
  const contract = await ask("GET", `/series/${encodeURIComponent(id)}`);
  return { words: filledIn(contract.task), values: valuesOfSeries(contract) };
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
      cut ? t("Some may go on: complete them if you can.") : null,
      t("People who took part there give up more of their privacy here."),
    ]
      .filter(Boolean)
      .join(" "),
  };
}
