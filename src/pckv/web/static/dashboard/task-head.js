// The head of a task's page: its question, whether it is open, and how many reports came and are wanted.
import { alertBox, announce, ask, count, field, make, plural, replace, warningBox } from "../shared/page.js";
import { badge, kindNote, progress, reached } from "../shared/task-words.js";
import { batchNote, batchProgress, isMixed, reportsOf } from "./batch.js";
import { ReportBars } from "./report-bars.js";

// Only the last days are drawn.
const MAX_DAYS = 60,
  MILLISECONDS_PER_DAY = 86_400_000;

// `show` is called with every overview; what is being edited stays.
export function taskHead(role, changed) {
  const back = make("p", { hidden: true }),
    title = make("h1"),
    state = make("span"),
    copy = make("a", { class: "button" }, "Duplicate"),
    question = make("p", { class: "question" }),
    notice = make("p", { id: "notice" }),
    batch = make("div"),
    alarm = make("div"),
    reports = make("strong", { id: "reports" }),
    noun = make("span"),
    goal = make("div", { class: "goal" }),
    bars = new ReportBars();
  const editor = targetEditor(changed);
  let shown = "";
  const element = make(
    "div",
    {},
    back,
    make("div", { class: "title" }, title, state, copy),
    question,
    notice,
    batch,
    alarm,
  );
  const counts = make(
    "section",
    { "aria-label": "Reports", class: "counts" },
    make("p", { class: "big" }, reports, " ", noun),
    goal,
    role === "administrator" ? editor.element : null,
    bars.element,
  );

  function show(task) {
    const text = JSON.stringify(task);
    if (text === shown) return;
    shown = text;
    title.textContent = task.name;
    back.hidden = !task.series;
    if (task.series) replace(back, make("a", { href: `#/series/${task.series.id}` }, "← All rounds of the series"));
    copy.href = `#/new?from=${task.id}`;
    copy.hidden = role !== "administrator" || task.series !== null;
    replace(state, badge(task), kindNote(task));
    say(question, task.about.question);
    say(notice, phaseSentence(task));
    notice.className = task.phase === "open" ? "soft" : "note";
    replace(batch, batchNote(task));
    replace(alarm, alarmBox(task));
    const [number, words] = reportsOf(task);
    reports.textContent = count(number);
    noun.textContent = words;
    replace(goal, ...(isMixed(task) ? batchProgress(task) : target(task)));
    editor.show(task);
    bars.show(...perDay(task));
  }

  return { element, counts, show, stop: () => bars.stop() };
}

function say(element, text) {
  element.textContent = text;
  element.hidden = text === "";
}

function phaseSentence({ phase, closed, closes, opens }) {
  if (phase === "closed") {
    return `This task is closed${closed ? ` since ${closed}` : ` since ${closes}`}. It takes no more reports; what is known stays below.`;
  }
  if (phase === "waiting") return `This task is not open yet: it takes reports from ${opens} on (UTC).`;
  return closes ? `Open until ${closes} (UTC).` : "";
}

function alarmBox({ alarms: found }) {
  return found?.unusual.length ? warningBox(found.sentences) : null;
}

function target(task) {
  if (task.target === null) return [];
  const words = `${reached(task.reports, task.target)} of the target of ${plural(task.target, "report")}`;
  return [progress(task), make("p", {}, words)];
}

// A button that opens a small form in its place.
function targetEditor(changed) {
  const number = make("input", { type: "number", min: 1, max: 1e15, step: 1, inputmode: "numeric" }),
    problem = make("div"),
    open = make("button", { type: "button", class: "plain", onclick: () => edit(true) });
  const form = make(
    "form",
    { hidden: true, novalidate: true, onsubmit: save },
    field("Reports wanted", number, "Leave it empty for no target."),
    problem,
    make(
      "div",
      { class: "buttons" },
      make("button", { class: "main" }, "Save"),
      make("button", { type: "button", onclick: () => edit(false) }, "Cancel"),
    ),
  );
  const element = make("div", { class: "target" }, open, form);
  let task;

  function show(overview) {
    task = overview;
    // Of a mixed task, the batch is the target.
    element.hidden = task.phase === "closed" || isMixed(task);
    open.textContent = task.target === null ? "Set a target" : "Change the target";
  }

  function edit(now) {
    form.hidden = !now;
    open.hidden = now;
    number.value = task.target ?? "";
    replace(problem);
    (now ? number : open).focus();
  }

  async function save(event) {
    event.preventDefault();
    if (!number.validity.valid) {
      return replace(problem, alertBox("The target is a whole number of reports, at least 1."));
    }
    try {
      await ask("PATCH", `/tasks/${task.id}`, {
        body: { target: number.value ? Number(number.value) : null },
      });
      edit(false);
      announce("The target is saved.");
      changed();
    } catch (error) {
      replace(problem, alertBox(error.message));
    }
  }

  return { element, show };
}

const dayAfter = (day, steps = 1) =>
  new Date(Date.parse(`${day}T00:00Z`) + steps * MILLISECONDS_PER_DAY).toISOString().slice(0, 10);

// Every day from the first one with a report to the last one, at most the last sixty.
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
  const bars = listed.map(({ day, reports }) => ({ reports, words: `${day}: ${plural(reports, "report")}` }));
  return [bars, `Reports per day, ${first === last ? first : `${first} to ${last}`}; at most ${count(most)}`];
}
