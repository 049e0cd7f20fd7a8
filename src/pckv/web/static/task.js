// One task: live count, verdict, charts, table, precision, downloads, and its end.
import { Chart } from "./chart.js";
import { EstimatesTable } from "./estimates-table.js";
import {
  alertBox,
  announce,
  ask,
  choice,
  confirmButton,
  count,
  field,
  make,
  newestOnly,
  pairs,
  percent,
  plural,
  query,
  replace,
  request,
  save,
} from "./page.js";
import { showDeleted } from "./deletion.js";
import { invitationSection } from "./invitations.js";
import { precisionSection } from "./precision.js";
import { shareSection } from "./share.js";
import { badge, days } from "./tasks.js";

const POLL_SECONDS = 3,
  CHART_SECONDS = 10;
// Estimates that take longer than this are announced.
const SAY_AFTER_MILLISECONDS = 400;
const LEVELS = ["0.8", "0.9", "0.95", "0.99", "0.999"].map((level) => [level, `${Number((100 * level).toFixed(1))} %`]);
const DOWNLOADS = { CSV: "text/csv", Parquet: "application/vnd.apache.parquet" };

export function taskView(root, id, role) {
  document.title = "Task – pckv";
  const path = `/tasks/${encodeURIComponent(id)}`,
    settings = { post: "", level: "0.95", hostile: "" };
  const said = make("div"),
    head = make("div"),
    verdict = make("div", { class: "verdict", "aria-live": "polite" }),
    computing = make("p", { class: "computing", role: "status" }),
    body = make("div");
  const chart = new Chart(
    "Frequency and mean of the most frequent keys with their intervals; the table below has the same numbers.",
    200,
  );
  let timer,
    table,
    task,
    drawn = { reports: -1, next: 0 },
    precision;
  replace(root, said, head, body);

  function build() {
    document.title = `${task.name} – pckv`;
    settings.method = task.method;
    table = new EstimatesTable(path, settings, showVerdict);
    precision = precisionSection(path, settings);
    const methods = choice(
      task.methods.map((name) => [name, name]),
      settings.method,
      (value) => choose("method", value),
    );
    const posts = choice(
      [["", "none"], ...task.posts.map((name) => [name, name])],
      settings.post,
      (value) => choose("post", value),
    );
    const levels = choice(LEVELS, settings.level, (value) => choose("level", value));
    const hostile = make("input", {
      autocomplete: "off",
      maxlength: 32,
      placeholder: "0",
      size: 8,
      onchange: () => choose("hostile", hostile.value.trim()),
    });
    replace(
      body,
      make(
        "section",
        { "aria-label": "Estimates" },
        make("h2", {}, "Estimates"),
        make(
          "div",
          { class: "row" },
          task.methods.length > 1 ? field("Method", methods) : null,
          task.posts.length ? field("Postprocessing", posts) : null,
          field("Level of the intervals", levels),
          field(
            "Hostile reports",
            hostile,
            "Intervals hold whatever this many of the reports say: a number, or a share such as 1%.",
          ),
          make("div", { class: "buttons" }, ...Object.keys(DOWNLOADS).map(downloadButton), svgButton()),
        ),
        computing,
        verdict,
        chart.element,
        table.element,
      ),
      precision.element,
      shareSection(task),
      role === "administrator" ? invitationSection(task, refresh) : null,
      role === "administrator" ? endSection() : null,
    );
  }

  function choose(name, value) {
    settings[name] = value;
    redraw();
  }

  const downloadButton = (form) =>
    make("button", { type: "button", onclick: () => download(form) }, `Download ${form}`);
  const svgButton = () => make("button", { type: "button", onclick: downloadSvg }, "Download SVG");

  async function downloadSvg() {
    try {
      save(new Blob([await chart.svg()], { type: "image/svg+xml" }), `${id}.svg`);
      announce("SVG downloaded.");
    } catch (error) {
      replace(said, alertBox(error.message));
    }
  }

  async function download(form) {
    try {
      const answer = await request("GET", `${path}/estimates?${query(settings)}`, { accept: DOWNLOADS[form] });
      save(await answer.blob(), `${id}.${form.toLowerCase()}`);
      announce(`${form} downloaded.`);
    } catch (error) {
      replace(said, alertBox(error.message));
    }
  }

  const redraw = newestOnly(async (signal) => {
    const began = Date.now();
    let reports = task.reports;
    drawn = { reports, next: Infinity };
    const slow = setTimeout(() => {
      computing.textContent = `Computing estimates of ${plural(task.keys, "key")} from ${plural(reports, "report")} …`;
    }, SAY_AFTER_MILLISECONDS);
    signal.addEventListener("abort", () => clearTimeout(slow));
    try {
      const spec = await ask("GET", `${path}/chart?${query(settings)}`, { signal });
      await Promise.all([chart.draw(spec), table.refresh(), precision.refresh()]);
      if (!signal.aborted) replace(said);
    } catch (error) {
      if (signal.aborted) return;
      replace(said, alertBox(error.message));
      // Try again even if no report comes.
      reports = -1;
    }
    if (signal.aborted) return;
    clearTimeout(slow);
    computing.textContent = "";
    // Slow estimates are requested less often.
    drawn = { reports, next: Date.now() + Math.max(1000 * CHART_SECONDS, 5 * (Date.now() - began)) };
  });

  function showVerdict({ reports, verdict: sentences }) {
    replace(verdict, reports ? make("p", { class: "note" }, sentences.join(" ")) : null);
  }

  const refresh = newestOnly(async (signal) => {
    clearTimeout(timer);
    try {
      const first = task === undefined;
      task = await ask("GET", `${path}/overview`, { signal });
      replace(head, ...facts(task));
      if (first) build();
      if (drawn.reports !== task.reports && Date.now() > drawn.next && !document.hidden) redraw();
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
    redraw.stop();
    table?.stop();
    chart.stop();
    precision?.stop();
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
