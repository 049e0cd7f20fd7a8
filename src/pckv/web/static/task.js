// One task: live count, what its reports tell, how to take part, and its end.
import { readAddress, writeSettings } from "./address.js";
import {
  alertBox,
  announce,
  ask,
  confirmButton,
  count,
  make,
  newestOnly,
  pairs,
  percent,
  plural,
  replace,
} from "./page.js";
import { showDeleted } from "./deletion.js";
import { invitationSection } from "./invitations.js";
import { resultsSection } from "./results.js";
import { shareSection } from "./share.js";
import { badge, days } from "./tasks.js";

const POLL_SECONDS = 3;

export function taskView(root, id, role) {
  document.title = "Task – pckv";
  const path = `/tasks/${encodeURIComponent(id)}`,
    { settings } = readAddress(),
    results = resultsSection({ id, path, settings, onsettings: writeSettings });
  const said = make("div"),
    head = make("div"),
    body = make("div");
  let timer, task;
  replace(root, said, head, body);

  function build() {
    document.title = `${task.name} – pckv`;
    replace(
      body,
      results.element,
      shareSection(task),
      role === "administrator" ? invitationSection(task, refresh) : null,
      role === "administrator" ? endSection() : null,
    );
  }

  const refresh = newestOnly(async (signal) => {
    clearTimeout(timer);
    try {
      const first = task === undefined;
      task = await ask("GET", `${path}/overview`, { signal });
      replace(head, ...facts(task));
      if (first) build();
      results.show(task);
      replace(said);
    } catch (error) {
      if (signal.aborted) return;
      replace(said, alertBox(error.message));
      if (error.status === 404 || error.status === 410) return;
    }
    timer = setTimeout(refresh, 1000 * POLL_SECONDS);
  });

  function endSection() {
    return make(
      "section",
      { "aria-label": "End" },
      make("h2", {}, "End"),
      make(
        "div",
        { class: "buttons" },
        confirmButton({
          label: "Close",
          kind: "close",
          title: "Close this task?",
          text: `“${task.name}”: From now on no more reports are taken. The estimates stay. The task cannot be opened again.`,
          work: close,
        }),
        confirmButton({
          label: "Delete",
          kind: "danger",
          title: "Delete this task?",
          text: `“${task.name}”: The task, all its reports and its estimates are deleted for good, here and in the database. What was downloaded stays with whoever has it. The same task cannot be created again.`,
          work: remove,
        }),
      ),
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
    results.stop();
  }

  refresh();
  return stop;
}

function facts(task) {
  const entries = {
    Reports: make("strong", { id: "reports" }, count(task.reports)),
    Keys: count(task.keys),
    Values: `${task.low} to ${task.high}`,
    ε: `${task.epsilon} (realised ${task.realised_epsilon})`,
    Mechanism: `${task.mechanism}, padding ${count(task.padding)}`,
    ...(task.coin === "server" ? { "Random functions": "drawn by the collector, one per invitation" } : {}),
    [`More than ${pairs(task.padding)}`]: larger(task),
    "Bytes per report": count(task.bytes_per_report),
    Days: days(task),
    "Unusual reports": alarms(task),
    Id: make("code", {}, task.id),
  };
  const terms = Object.entries(entries).map(([name, value]) =>
    make("div", {}, make("dt", {}, name), make("dd", {}, value)),
  );
  return [
    make("div", { class: "title" }, make("h1", {}, task.name), badge(task)),
    make("dl", { class: "facts" }, ...terms),
    alarm(task),
  ];
}

function alarms({ alarms: found }) {
  if (!found) return "not checked yet";
  const what = found.unusual.length ? "found, see below" : found.sentences.join(" ");
  return `${what} (${plural(found.reports, "report")}, checked ${found.checked.slice(0, 16).replace("T", " ")} UTC)`;
}

// Without the role of an alert: it is drawn anew whenever the facts are.
function alarm({ alarms: found }) {
  if (!found?.unusual.length) return null;
  return make("div", { class: "alert" }, ...found.sentences.map((sentence) => make("p", {}, sentence)));
}

function larger(task) {
  if (task.more === "refuse") return `nobody may: at most ${count(task.padding)}`;
  if (task.padding >= task.keys) return "nobody can";
  const asked = task.size_share ? `${percent(task.size_share)} of the reports say how many` : "nobody is asked how many";
  return `a random choice is reported; ${asked}`;
}
