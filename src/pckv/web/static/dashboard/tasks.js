// The list of tasks, newest first, with live counts of their reports.
import { readAddress, writeSettings } from "../shared/address.js";
import { found, isLost } from "../shared/connection.js";
import {
  alertBox,
  ask,
  choice,
  count,
  debounced,
  field,
  make,
  newestOnly,
  percent,
  query,
  replace,
} from "../shared/page.js";
import { seriesList } from "./series-list.js";
import { PHASES, badge, keepFocus, kindNote } from "../shared/task-state.js";

const POLL_SECONDS = 3,
  TASKS_PER_PAGE = 50;
const NAMES = ["Task", "State", "Created", "Last report", "Reports"];

// How much of the target is reached; without a target nothing.
export function progress({ reports, target }) {
  if (target === null) return null;
  return make("progress", {
    max: target,
    value: Math.min(reports, target),
    "aria-label": `Of the target: ${reached(reports, target)}`,
  });
}

export const reached = (reports, target) => percent(Math.floor((1000 * reports) / target) / 1000);

export function tasksView(root, role) {
  document.title = "Tasks – pckv";
  const settings = { search: "", state: "", ...readAddress().settings };
  const rows = make("tbody"),
    said = make("div"),
    none = make("div"),
    more = make("button", { type: "button", onclick: next, hidden: true }, "Older tasks"),
    series = seriesList(() => refresh());
  const search = make("input", {
    type: "search",
    autocomplete: "off",
    maxlength: 256,
    value: settings.search,
    oninput: debounced(() => choose("search", search.value)),
  });
  const states = choice([["", "all"], ...Object.entries(PHASES)], settings.state, (value) =>
    choose("state", value),
  );
  const table = make(
    "table",
    { class: "tasks" },
    make("thead", {}, make("tr", {}, ...NAMES.map(header))),
    rows,
  );
  let pages = [""],
    timer;
  replace(
    root,
    make("h1", {}, "Tasks"),
    series.element,
    make("div", { class: "row filters" }, field("Search by name", search), field("State", states)),
    said,
    make("section", { class: "list", "aria-label": "Tasks" }, table, none),
    more,
  );

  function choose(name, value) {
    settings[name] = value;
    pages = [""];
    writeSettings(settings);
    refresh();
  }

  function next() {
    pages.push(more.dataset.after);
    refresh();
  }

  const refresh = newestOnly(async (signal) => {
    clearTimeout(timer);
    try {
      const path = (after) => `/overview?${query({ ...settings, limit: TASKS_PER_PAGE, after })}`;
      const [answers] = await Promise.all([
        Promise.all(pages.map((after) => ask("GET", path(after), { signal }))),
        series.refresh(signal),
      ]);
      found();
      const tasks = answers.flatMap((answer) => answer.tasks);
      showRows(tasks);
      more.hidden = answers.at(-1).tasks.length < TASKS_PER_PAGE;
      more.dataset.after = tasks.at(-1)?.number ?? "";
      replace(none, tasks.length ? null : empty());
      replace(said);
    } catch (error) {
      if (signal.aborted) return;
      replace(said, isLost(error) ? null : alertBox(error.message));
    }
    timer = setTimeout(refresh, 1000 * POLL_SECONDS);
  });

  // Rows are only replaced when something changed, so that the focus stays where it is.
  function showRows(tasks) {
    const text = JSON.stringify(tasks);
    if (rows.dataset.shown === text) return;
    keepFocus(rows, () => replace(rows, ...tasks.map(row)));
    rows.dataset.shown = text;
    table.hidden = tasks.length === 0;
  }

  function empty() {
    if (settings.search || settings.state) return make("p", {}, "No task matches.");
    const link = role === "administrator" ? make("a", { href: "#/new" }, "Create the first one.") : null;
    return make("p", {}, "There are no tasks yet. ", link);
  }

  refresh();
  return () => {
    clearTimeout(timer);
    refresh.stop();
  };
}

const header = (name) => make("th", { scope: "col", class: name === "Reports" ? "number" : null }, name);

function row(task) {
  const { reports, target } = task;
  // On a narrow screen there are no headers.
  const cell = (place, ...children) => make("td", { "data-label": NAMES[place] }, ...children);
  const total = cell(
    4,
    target === null ? count(reports) : `${count(reports)} of ${count(target)}`,
    progress(task),
  );
  total.classList.add("number");
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, make("a", { href: `#/tasks/${task.id}` }, task.name), kindNote(task)),
    make("td", {}, badge(task)),
    cell(2, task.created),
    cell(3, task.last_report ?? "none yet"),
    total,
  );
}
