// One survey in four tabs: what is known, how people take part, what can be changed, and what few people need.
import { DiscoverySection } from "../results/discovery.js";
import { ResultsSection } from "../results/results.js";
import { readAddress, writeSettings } from "../shared/address.js";
import { polled } from "../shared/connection.js";
import { shownText } from "../shared/direction.js";
import { t } from "../shared/language.js";
import { alertBox, make, replace } from "../shared/page.js";
import { ask } from "../shared/request.js";
import { Tabs } from "../shared/tabs.js";
import { isDiscovery } from "../shared/task-words.js";
import { taskDetails } from "./details.js";
import { settingsTab } from "./settings.js";
import { ShareTab } from "./share.js";
import { taskHead } from "./task-head.js";

export function taskView(root, id, role, tab) {
  document.title = `${t("Survey")} – pckv`;
  const view = new TaskView(root, id, role);
  view.open(tab);
  view.refresh();
  const stop = () => view.stop();
  stop.move = (place, otherId, part) => {
    if (place !== "tasks" || otherId !== id || part === "keys") return false;
    view.open(part);
    return true;
  };
  return stop;
}

class TaskView {
  constructor(root, id, role) {
    const said = make("div", {}, make("p", { class: "computing" }, t("Loading …")));
    Object.assign(this, { root, id, path: `/tasks/${encodeURIComponent(id)}`, built: "" });
    this.settings = readAddress().settings;
    this.administers = role === "administrator";
    this.head = taskHead(this.administers);
    this.details = taskDetails();
    this.share = new ShareTab({ administers: this.administers, changed: () => this.refresh() });
    this.outcome = make("div");
    this.changeable = make("div");
    this.tabs = new Tabs(`#/tasks/${encodeURIComponent(id)}`, t("Parts of this survey"), [
      ["", t("Results"), make("div", {}, this.outcome, this.head.days)],
      ["share", t("Share"), this.share.element],
      ...(this.administers ? [["settings", t("Settings"), this.changeable]] : []),
      ["details", t("Details"), this.details.element],
    ]);
    this.body = make("div", { hidden: true }, this.head.element, this.tabs.element, ...Object.values(this.tabs.places));
    replace(root, said, this.body);
    this.refresh = polled({
      ask: (signal) => ask("GET", `${this.path}/overview`, { signal }),
      use: (task) => this.show(task),
      said,
      isOver: (error) => this.isGone(error),
    });
  }

  open(tab) {
    this.tabs.open(tab);
    // Charts are as wide as the page, which a hidden part does not know.
    if (this.task) this.results.show(this.task);
  }

  show(task) {
    this.task = task;
    document.title = `${shownText(task.name)} – pckv`;
    this.body.hidden = false;
    this.build();
    this.results.show(task);
    this.showCount();
    this.details.show(task);
    this.share.show(task);
    this.changes?.show(task);
  }

  // The number of responses is that of the results on the page, although others may have come since.
  showCount() {
    this.head.show(this.task, this.results.counted ?? this.task.reports);
  }

  // Responses that came since the page asked for the survey belong to its days, too.
  recount() {
    this.showCount();
    if (this.results.counted > this.task.reports) this.refresh();
  }

  build() {
    if (this.results) return;
    const { id, path, administers, task } = this,
      settings = this.settings,
      oncounted = () => this.recount();
    this.results = isDiscovery(task)
      ? new DiscoverySection({ id, path, administers, oncounted })
      : new ResultsSection({ id, path, settings, onsettings: (chosen) => this.keep(chosen), oncounted });
    replace(this.outcome, this.results.element);
    if (!administers) return;
    this.changes = settingsTab({ root: this.root, path, refresh: this.refresh, stop: () => this.stop() });
    replace(this.changeable, this.changes.element);
  }

  keep(chosen) {
    writeSettings(chosen);
    this.tabs.keep();
  }

  // A page that shows a deleted survey may stay open; opening it again finds nothing.
  isGone(error) {
    if (error.status !== 404 && error.status !== 410) return false;
    if (this.task) return true;
    const link = make("p", {}, make("a", { href: "#/" }, t("All surveys")));
    replace(this.root, make("h1", {}, t("No survey here")), alertBox(error.message), link);
    return true;
  }

  stop() {
    this.refresh.stop();
    this.head.stop();
    this.results?.stop();
  }
}
