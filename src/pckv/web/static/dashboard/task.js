// One task: how many reports came, how to take part, what is known, and what can be done with it.
import { readAddress, writeSettings } from "../shared/address.js";
import { found, isLost } from "../shared/connection.js";
import { showDeleted } from "./deletion.js";
import { discoverySection } from "../results/discovery.js";
import { invitationSection } from "../shared/invitations.js";
import { alertBox, announce, ask, confirmButton, make, newestOnly, replace } from "../shared/page.js";
import { publicationSection } from "./publication.js";
import { resultsSection } from "../results/results.js";
import { appsSection, shareSection } from "./share.js";
import { taskDetails } from "./task-details.js";
import { taskHead } from "./task-head.js";

const POLL_SECONDS = 3;

export function taskView(root, id, role) {
  document.title = "Task – pckv";
  const path = `/tasks/${encodeURIComponent(id)}`,
    { settings } = readAddress();
  const administers = role === "administrator",
    head = taskHead(role, () => refresh()),
    details = taskDetails(),
    said = make("div", {}, make("p", { class: "computing" }, "Loading …")),
    share = make("div"),
    outcome = make("div"),
    apps = make("div"),
    invitations = make("div"),
    publication = make("div"),
    end = make("div"),
    body = make("div", { hidden: true });
  let timer,
    task,
    results,
    publicationSwitch,
    built = "";
  replace(root, said, body);
  replace(
    body,
    head.element,
    make("div", { class: "overview" }, head.counts, share),
    outcome,
    details.element,
    apps,
    invitations,
    publication,
    end,
  );

  // What depends on little is built again only when that changed, so that nothing is lost that somebody enters there.
  function build() {
    const { phase, by_invitation } = task,
      state = JSON.stringify([phase, by_invitation]);
    if (state === built) return;
    const first = built === "";
    built = state;
    if (first) {
      results = resultsOf(task);
      replace(outcome, results.element);
    }
    replace(share, shareSection(task));
    replace(apps, phase === "closed" || task.series ? null : appsSection(task));
    if (!administers) return;
    replace(end, endSection());
    if (phase === "closed") replace(invitations);
    if (!first) return;
    if (phase !== "closed" && !task.series) replace(invitations, invitationSection(task, refresh));
    // Nobody named the keys that a public page could show.
    if (typeof task.keys !== "number") return;
    publicationSwitch = publicationSection(task, refresh);
    replace(publication, publicationSwitch.element);
  }

  const resultsOf = ({ kind }) =>
    kind === "discovery"
      ? discoverySection({ id, path, administers })
      : resultsSection({ id, path, settings, onsettings: writeSettings });

  const refresh = newestOnly(async (signal) => {
    clearTimeout(timer);
    try {
      task = await ask("GET", `${path}/overview`, { signal });
      found();
      document.title = `${task.name} – pckv`;
      body.hidden = false;
      build();
      head.show(task);
      details.show(task);
      publicationSwitch?.show(task);
      results.show(task);
      replace(said);
    } catch (error) {
      if (signal.aborted) return;
      replace(said, isLost(error) ? null : alertBox(error.message));
      if (error.status === 404 || error.status === 410) return task ? undefined : showNone(error);
    }
    timer = setTimeout(refresh, 1000 * POLL_SECONDS);
  });

  // Whoever reads a task while it is deleted may go on reading; whoever opens it then finds nothing.
  function showNone(error) {
    replace(
      root,
      make("h1", {}, "No task here"),
      alertBox(error.message),
      make("p", {}, make("a", { href: "#/" }, "All tasks")),
    );
  }

  function endSection() {
    const closing = confirmButton({
      label: "Close",
      kind: "close",
      title: "Close this task?",
      text: `“${task.name}”: From now on no more reports are taken. The estimates stay. The task cannot be opened again.`,
      work: close,
    });
    const deletion = confirmButton({
      label: "Delete",
      kind: "danger",
      title: "Delete this task?",
      text: `“${task.name}”: The task, all its reports and its estimates are deleted for good, here and in the database. What was downloaded stays with whoever has it. The same task cannot be created again.`,
      work: remove,
    });
    return make(
      "section",
      { "aria-label": "End" },
      make("h2", {}, "End"),
      make("div", { class: "buttons" }, task.phase === "closed" ? null : closing, deletion),
    );
  }

  async function close() {
    await ask("POST", `${path}/close`);
    announce("The task is closed.");
    refresh();
  }

  async function remove() {
    const deletion = await ask("DELETE", path);
    stop();
    announce("The task is deleted.");
    showDeleted(root, task.name, deletion, () => ask("DELETE", path));
  }

  function stop() {
    clearTimeout(timer);
    refresh.stop();
    results?.stop();
  }

  refresh();
  return stop;
}
