// The list of tasks, newest first, with live counts of their reports.
import { readAddress, writeSettings } from "../shared/address.js";
import { polled } from "../shared/connection.js";
import { ask, choice, count, debounced, field, make, query, replace } from "../shared/page.js";
import { Table } from "../shared/table.js";
import { badge, kindNote, PHASES, progress } from "../shared/task-words.js";
import { SeriesList } from "./series-list.js";

const TASKS_PER_PAGE = 50;
const COLUMNS = [
  { name: "Task" },
  { name: "State" },
  { name: "Created" },
  { name: "Last report" },
  { name: "Reports", number: true },
];

export function tasksView(root, role) {
  document.title = "Tasks – pckv";
  const view = new TasksView(root, role);
  view.refresh();
  return () => view.refresh.stop();
}

class TasksView {
  constructor(root, role) {
    this.role = role;
    this.settings = { search: "", state: "", ...readAddress().settings };
    this.pages = [""];
    this.series = new SeriesList(() => this.refresh());
    this.table = new Table({ columns: COLUMNS, row, kind: "tasks" });
    this.none = make("div");
    this.more = make("button", { type: "button", hidden: true, onclick: () => this.showOlder() }, "Older tasks");
    const said = make("div");
    this.refresh = polled({ ask: (signal) => this.ask(signal), use: (answers) => this.show(answers), said });
    replace(
      root,
      make("h1", {}, "Tasks"),
      this.series.element,
      this.filters(),
      said,
      make("section", { class: "list", "aria-label": "Tasks" }, this.table.element, this.none),
      this.more,
    );
  }

  filters() {
    const search = make("input", {
      type: "search",
      autocomplete: "off",
      maxlength: 256,
      value: this.settings.search,
      oninput: debounced(() => this.choose("search", search.value)),
    });
    const states = choice([["", "all"], ...Object.entries(PHASES)], this.settings.state, (value) =>
      this.choose("state", value),
    );
    return make("div", { class: "row filters" }, field("Search by name", search), field("State", states));
  }

  choose(name, value) {
    this.settings[name] = value;
    this.pages = [""];
    writeSettings(this.settings);
    this.refresh();
  }

  showOlder() {
    this.pages.push(this.more.dataset.after);
    this.refresh();
  }

  ask(signal) {
    const path = (after) => `/overview?${query({ ...this.settings, limit: TASKS_PER_PAGE, after })}`,
      pages = this.pages.map((after) => ask("GET", path(after), { signal }));
    return Promise.all([this.series.refresh(signal), ...pages]);
  }

  show([, ...answers]) {
    const tasks = answers.flatMap((answer) => answer.tasks);
    this.table.show(tasks).element.hidden = tasks.length === 0;
    this.more.hidden = answers.at(-1).tasks.length < TASKS_PER_PAGE;
    this.more.dataset.after = tasks.at(-1)?.number ?? "";
    replace(this.none, tasks.length ? null : this.empty());
  }

  empty() {
    if (this.settings.search || this.settings.state) return make("p", {}, "No task matches.");
    const link = this.role === "administrator" ? make("a", { href: "#/new" }, "Create the first one.") : null;
    return make("p", {}, "There are no tasks yet. ", link);
  }
}

function row(task) {
  const { id, name, created, last_report: last } = task;
  return [
    [make("a", { href: `#/tasks/${id}` }, name), kindNote(task)],
    badge(task),
    created,
    last ?? "none yet",
    [reported(task), progress(task)],
  ];
}

function reported({ reports, target, batch }) {
  // Of a mixed task, reports are here once its batch has come.
  if (batch?.state === "waiting")
    return batch.waiting === null ? "at the mixer" : `${count(batch.waiting)} at the mixer`;
  return target === null ? count(reports) : `${count(reports)} of ${count(target)}`;
}
