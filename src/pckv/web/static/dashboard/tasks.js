// The list of surveys, newest first, with live counts of their responses; drafts before it, and deleted ones after it.
import { readAddress, writeSettings } from "../shared/address.js";
import { polled } from "../shared/connection.js";
import { day, t } from "../shared/language.js";
import { choice, count, debounced, field, make, query, replace } from "../shared/page.js";
import { ask } from "../shared/request.js";
import { Table, named } from "../shared/table.js";
import { listedState, kindNote, PHASES, progress } from "../shared/task-words.js";
import { Bin } from "./bin.js";
import { Drafts } from "./drafts.js";
import { SeriesList } from "./series-list.js";

const TASKS_PER_PAGE = 50,
  // Fewer are seen at a glance.
  MAX_WITHOUT_FILTERS = 25;
const COLUMNS = [
  { name: t("Survey") },
  { name: t("State") },
  { name: t("Published") },
  { name: t("Last response") },
  { name: t("Responses"), number: true },
];

export function tasksView(root, role) {
  document.title = `${t("Surveys")} – pckv`;
  const view = new TasksView(root, role);
  view.refresh();
  return () => view.refresh.stop();
}

class TasksView {
  constructor(root, role) {
    this.administers = role === "administrator";
    this.settings = { search: "", state: "", ...readAddress().settings };
    this.pages = [""];
    const again = () => this.refresh();
    this.series = new SeriesList(again);
    this.drafts = this.administers ? new Drafts(again) : null;
    this.bin = this.administers ? new Bin(again) : null;
    this.table = new Table({ columns: COLUMNS, row, kind: "tasks" });
    this.none = make("div");
    this.list = make("section", { class: "list", "aria-label": t("Surveys") }, this.table.element, this.none);
    this.more = make("button", { type: "button", hidden: true, onclick: () => this.showOlder() }, t("Older surveys"));
    this.filters = this.filterFields();
    const said = make("div");
    this.refresh = polled({ ask: (signal) => this.ask(signal), use: (answers) => this.show(answers), said });
    replace(
      root,
      make(
        "div",
        { class: "title" },
        make("h1", {}, t("Surveys")),
        this.administers ? make("a", { class: "button main", href: "#/new" }, t("New survey")) : null,
      ),
      this.drafts?.element,
      this.series.element,
      this.filters,
      said,
      this.list,
      this.more,
      this.bin?.element,
    );
  }

  filterFields() {
    const search = make("input", {
      type: "search",
      autocomplete: "off",
      maxlength: 256,
      value: this.settings.search,
      oninput: debounced(() => this.choose("search", search.value)),
    });
    const states = choice([["", t("all")], ...Object.entries(PHASES)], this.settings.state, (value) =>
      this.choose("state", value),
    );
    const attributes = { class: "row filters", hidden: !this.isFiltered() };
    return make("div", attributes, field(t("Search by name"), search), field(t("State"), states));
  }

  isFiltered() {
    return Boolean(this.settings.search || this.settings.state);
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
    const others = [this.series, this.drafts, this.bin].map((list) => list?.refresh(signal));
    return Promise.all([Promise.all(others), ...pages]);
  }

  show([, ...answers]) {
    const tasks = answers.flatMap((answer) => answer.tasks);
    if (tasks.length > MAX_WITHOUT_FILTERS) this.filters.hidden = false;
    this.table.show(tasks).element.hidden = tasks.length === 0;
    this.more.hidden = answers.at(-1).tasks.length < TASKS_PER_PAGE;
    this.more.dataset.after = tasks.at(-1)?.number ?? "";
    // Of an operator who has repeated surveys alone, it would be untrue that there are none.
    this.list.hidden = !tasks.length && !this.isFiltered() && !this.series.element.hidden;
    replace(this.none, tasks.length ? null : this.empty());
  }

  empty() {
    if (this.isFiltered()) return make("p", {}, t("No survey matches."));
    if (this.drafts?.element.hidden === false) return make("p", {}, t("No survey is published yet."));
    const link = this.administers ? make("a", { href: "#/new" }, t("Make the first one.")) : null;
    return make("p", {}, t("There are no surveys yet."), " ", link ?? "");
  }
}

function row(task) {
  const { id, name, created, last_report: last } = task;
  return [
    [make("a", { href: `#/tasks/${id}` }, named(name)), kindNote(task)],
    listedState(task),
    day(created),
    last ? day(last) : t("none yet"),
    [reported(task), progress(task)],
  ];
}

function reported({ reports, target, batch }) {
  // Of a mixed survey, responses are here once its batch has come.
  if (batch?.state === "waiting")
    return batch.waiting === null ? t("at the mixer") : t("{number} at the mixer", { number: count(batch.waiting) });
  return target === null
    ? count(reports)
    : t("{reports} ({target} expected)", { reports: count(reports), target: count(target) });
}
