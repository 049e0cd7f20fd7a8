// One task: how many reports came, how to take part, what is known, and what can be done with it.
import { DiscoverySection } from "../results/discovery.js";
import { ResultsSection } from "../results/results.js";
import { readAddress, writeSettings } from "../shared/address.js";
import { polled } from "../shared/connection.js";
import { invitationSection } from "../shared/invitations.js";
import { alertBox, announce, ask, confirmButton, make, replace } from "../shared/page.js";
import { isDiscovery } from "../shared/task-words.js";
import { showDeleted } from "./deletion.js";
import { taskDetails } from "./details.js";
import { publicationSection } from "./publication.js";
import { appsSection, shareSection } from "./share.js";
import { isMixed, mixerDecides } from "./batch.js";
import { taskHead } from "./task-head.js";

const PLACES = ["share", "outcome", "apps", "invitations", "publication", "end"];

export function taskView(root, id, role) {
  document.title = "Task – pckv";
  const view = new TaskView(root, id, role);
  view.refresh();
  return () => view.stop();
}

class TaskView {
  constructor(root, id, role) {
    const said = make("div", {}, make("p", { class: "computing" }, "Loading …"));
    Object.assign(this, { root, id, path: `/tasks/${encodeURIComponent(id)}`, built: "" });
    this.settings = readAddress().settings;
    this.administers = role === "administrator";
    this.head = taskHead(role, () => this.refresh());
    this.details = taskDetails();
    for (const place of PLACES) this[place] = make("div");
    this.body = make(
      "div",
      { hidden: true },
      this.head.element,
      make("div", { class: "overview" }, this.head.counts, this.share),
      this.outcome,
      this.details.element,
      this.apps,
      this.invitations,
      this.publication,
      this.end,
    );
    replace(root, said, this.body);
    this.refresh = polled({
      ask: (signal) => ask("GET", `${this.path}/overview`, { signal }),
      use: (task) => this.show(task),
      said,
      isOver: (error) => this.isGone(error),
    });
  }

  show(task) {
    this.task = task;
    document.title = `${task.name} – pckv`;
    this.body.hidden = false;
    this.build();
    this.head.show(task);
    this.details.show(task);
    this.publicationSwitch?.show(task);
    this.results.show(task);
  }

  // Each part is rebuilt only when what it depends on changed, so that no input is lost.
  build() {
    const { task } = this,
      { phase, by_invitation, series } = task,
      state = JSON.stringify([phase, by_invitation]),
      first = this.built === "";
    if (state === this.built) return;
    this.built = state;
    if (first) {
      this.results = this.resultsSection();
      replace(this.outcome, this.results.element);
    }
    replace(this.share, shareSection(task));
    replace(this.apps, phase === "closed" || series ? null : appsSection(task));
    if (!this.administers) return;
    replace(this.end, this.endSection());
    if (phase === "closed") replace(this.invitations);
    if (first) this.buildOnce();
  }

  buildOnce() {
    const { task, refresh } = this;
    if (task.phase !== "closed" && !task.series && !isMixed(task))
      replace(this.invitations, invitationSection(task, refresh));
    // Without listed keys, a public page has nothing to show.
    if (typeof task.keys !== "number") return;
    this.publicationSwitch = publicationSection(task, refresh);
    replace(this.publication, this.publicationSwitch.element);
  }

  resultsSection() {
    const { id, path, administers, settings } = this;
    if (isDiscovery(this.task)) return new DiscoverySection({ id, path, administers });
    return new ResultsSection({ id, path, settings, onsettings: writeSettings });
  }

  // A page that shows a deleted task may stay open; opening the task again finds nothing.
  isGone(error) {
    if (error.status !== 404 && error.status !== 410) return false;
    if (this.task) return true;
    const link = make("p", {}, make("a", { href: "#/" }, "All tasks"));
    replace(this.root, make("h1", {}, "No task here"), alertBox(error.message), link);
    return true;
  }

  endSection() {
    const { name, phase, mixer, closes } = this.task;
    const closing = confirmButton({
      label: "Close",
      kind: "close",
      title: "Close this task?",
      text: `“${name}”: From now on no more reports are taken. The estimates stay. The task cannot be opened again.`,
      work: () => this.close(),
    });
    const deletion = confirmButton({
      label: "Delete",
      kind: "danger",
      title: "Delete this task?",
      text: `“${name}”: The task, all its reports and its estimates are deleted for good, here and in the database. Downloaded copies are not deleted. The same task cannot be created again.`,
      work: () => this.remove(),
    });
    return make(
      "section",
      { "aria-label": "End" },
      make("h2", {}, "End"),
      mixer && phase !== "closed" ? mixerDecides(mixer, closes) : null,
      make("div", { class: "buttons" }, phase === "closed" || mixer ? null : closing, deletion),
    );
  }

  async close() {
    await ask("POST", `${this.path}/close`);
    announce("The task is closed.");
    this.refresh();
  }

  async remove() {
    const deletion = await ask("DELETE", this.path);
    this.stop();
    announce("The task is deleted.");
    showDeleted(this.root, this.task.name, deletion, () => ask("DELETE", this.path));
  }

  stop() {
    this.refresh.stop();
    this.head.stop();
    this.results?.stop();
  }
}
