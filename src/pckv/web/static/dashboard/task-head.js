// The head of a survey's page: its question, whether it is open, what needs attention, and how many responses came.
import { shownText } from "../shared/direction.js";
import { day, dayBefore, t } from "../shared/language.js";
import { count, make, plural, replace, warningBox } from "../shared/page.js";
import { named } from "../shared/table.js";
import { badge, kindNote, progress } from "../shared/task-words.js";
import { told } from "../shared/told.js";
import { batchNote, batchProgress, isMixed, reportsOf } from "./batch.js";
import { ReportBars } from "./report-bars.js";

// Only the last days are drawn.
const MAX_DAYS = 60,
  MILLISECONDS_PER_DAY = 86_400_000;

// `show` is called with every overview, and the number of responses that the results on the page are from.
export function taskHead(administers) {
  const back = make("p", { hidden: true }),
    title = make("h1"),
    state = make("span"),
    question = make("p", { class: "question" }),
    notice = make("p", { id: "notice" }),
    batch = make("div"),
    alarm = make("div"),
    reports = make("strong", { id: "reports" }),
    noun = make("span"),
    goal = make("div", { class: "goal" }),
    bars = new ReportBars();
  let shown = "",
    drawn = null;
  const counts = make("div", { class: "counts" }, make("p", {}, reports, " ", noun), goal);
  const element = make(
    "div",
    {},
    back,
    make("div", { class: "title" }, title, state),
    question,
    alarm,
    notice,
    batch,
    counts,
  );
  const days = make("section", { "aria-label": t("Responses per day"), hidden: true }, bars.element);

  function show(task, counted) {
    const text = JSON.stringify([task, counted]);
    if (text === shown) return;
    shown = text;
    replace(title, named(task.name));
    back.hidden = !task.series;
    if (task.series) {
      replace(back, make("a", { href: `#/series/${task.series.id}` }, t("← All rounds of this survey")));
    }
    replace(state, badge(task), kindNote(task));
    say(question, task.about.question);
    say(notice, [phaseSentence(task), administers && canPublish(task) ? PUBLISH : ""].join(" ").trim());
    notice.className = task.phase === "open" ? "soft" : "note";
    replace(batch, batchNote(task));
    replace(alarm, alarmBox(task, administers));
    const known = { ...task, reports: counted },
      [number, words] = reportsOf(known);
    reports.textContent = count(number);
    noun.textContent = words;
    replace(goal, ...(isMixed(task) ? batchProgress(task) : expected(known)));
    // Bars of other responses than those that the page counts would contradict it.
    if (counted === task.reports) {
      bars.show(...perDay(task));
      drawn = counted;
    }
    days.hidden = drawn !== counted || !task.days.length;
  }

  return { element, days, show, stop: () => bars.stop() };
}

function say(element, text) {
  element.textContent = shownText(text);
  element.hidden = text === "";
}

function phaseSentence({ phase, closed, closes, opens }) {
  if (phase === "closed") {
    return t("Closed on {day}. No more responses are taken; the results stay here.", {
      day: day(closed ?? dayBefore(closes)),
    });
  }
  if (phase === "waiting")
    return t("Not open yet: people can take part from {day} on (world time, UTC).", { day: day(opens) });
  return closes ? t("Open until the end of {day} (world time, UTC).", { day: day(dayBefore(closes)) }) : "";
}

const PUBLISH = t("Under “Share” you can make the results public.");

// Once a survey is closed, and no responses were unusual.
const canPublish = ({ phase, public_results: isPublic, keys, reports, alarms }) =>
  phase === "closed" && !isPublic && typeof keys === "number" && reports > 0 && !alarms?.unusual.length;

// That there is something, and what is to be done; what was found stands under "Details".
function alarmBox(task, administers) {
  if (!task.alarms?.unusual.length) return null;
  const box = warningBox([
    told(task.alarms.sentences[0]),
    administers ? remedy(task) : TELL,
    t("What was found stands under “Details”."),
  ]);
  box.prepend(make("h2", {}, t("Some responses are unusual")));
  return box;
}

const TELL = t(
  "What to do: tell those who run this survey, and do not pass on these results before it is known where the unusual responses come from.",
);

// A round takes no invitations, and closing it is final.
function remedy({ phase, series, by_invitation: byInvitation }) {
  if (phase === "closed") {
    return t(
      "What to do: do not publish or pass on these results before you know where the unusual responses come from.",
    );
  }
  if (byInvitation) {
    return t(
      "What to do: ask those who handed out the invitations whether a program or one person used many of them. Do not publish or pass on these results before you know.",
    );
  }
  return series
    ? t(
        "What to do: ask those who handed out the link whether a program or one person sent many responses. Do not publish or pass on the results of this round before you know.",
      )
    : t(
        "What to do: ask those who handed out the link whether a program or one person sent many responses. If you cannot find out, close this survey under “Settings”, and repeat it with invitations, which count once each.",
      );
}

function expected(task) {
  if (task.target === null) return [];
  return [progress(task), make("p", {}, t("{number} expected", { number: count(task.target) }))];
}

const dayAfter = (day, steps = 1) =>
  new Date(Date.parse(`${day}T00:00Z`) + steps * MILLISECONDS_PER_DAY).toISOString().slice(0, 10);

// Every day from the first one with a response to the last one, at most the last sixty.
function allDays(days) {
  const counted = new Map(days.map(({ day, reports }) => [day, reports])),
    last = days.at(-1).day,
    listed = [];
  for (let day = last; day >= days[0].day && listed.length < MAX_DAYS; day = dayAfter(day, -1)) {
    listed.unshift({ day, reports: counted.get(day) ?? 0 });
  }
  return listed;
}

// The bars, and the sentence below them.
function perDay({ days }) {
  if (!days.length) return [[], ""];
  const listed = allDays(days),
    most = Math.max(...listed.map(({ reports }) => reports)),
    [first, last] = [listed[0].day, listed.at(-1).day];
  const bars = listed.map(({ day: date, reports }) => ({
    reports,
    words: `${day(date)}: ${plural(reports, "response")}`,
  }));
  const values = { first: day(first), last: day(last), most: count(most) };
  return [
    // One bar alone is no picture of days.
    first === last ? [] : bars,
    first === last
      ? t("Responses on {first}: {most}", values)
      : t("Responses per day, {first} to {last}; at most {most}", values),
  ];
}
