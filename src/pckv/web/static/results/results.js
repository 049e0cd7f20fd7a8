// What the reports of a task tell: a sentence, a chart, a table, options, downloads, and how precise all that is.
import { withSettings } from "../shared/address.js";
import { candidatesForm } from "./candidates.js";
import { Chart } from "../shared/chart.js";
import { isLost } from "../shared/connection.js";
import { changedOptions, isHashed, optionsPanel, readOptions } from "./estimate-options.js";
import { EstimateRequests } from "./estimate-requests.js";
import { EstimatesTable } from "./estimates-table.js";
import { alertBox, announce, make, newestOnly, plural, replace, save } from "../shared/page.js";
import { precisionSection } from "./precision.js";
import { sharesTable } from "./shares.js";

const CHART_SECONDS = 10;
// Estimates that take longer than this are announced.
const SAY_AFTER_MILLISECONDS = 400;
export const DOWNLOADS = {
  CSV: "text/csv",
  Parquet: "application/vnd.apache.parquet",
  JSON: "application/json",
};

// `settings` are those of the address; `onsettings` is called with those that belong there now.
// `show` is called with every overview of the task.
export function resultsSection({ id, path, settings, onsettings }) {
  const requests = new EstimateRequests(path),
    said = make("div"),
    verdict = make("div", { class: "verdict", "aria-live": "polite" }),
    computing = make("p", { class: "computing", role: "status" }),
    element = make("div");
  const chart = new Chart(
    "Share of people and mean of the most frequent keys with their ranges, and what they say; the tables below have the same numbers.",
  );
  const empty = make(
    "p",
    { class: "note", hidden: true },
    "No reports yet: share the link with the people who are to take part.",
  );
  // Shown once there are numbers.
  const known = make("div", { hidden: true });
  let task,
    table,
    precision,
    // Of tasks with more than two levels.
    shares,
    // Of tasks with hashed keys.
    candidates,
    options,
    // The number of reports that the numbers on the page are from.
    counted = 0,
    drawn = { reports: -1, next: 0 };

  function build() {
    options = readOptions(task, settings);
    // A hashed key is told from noise among all that were asked for: by itself, more easily.
    const address = isHashed(task)
      ? null
      : (key) => withSettings(`#/tasks/${id}/keys/${encodeURIComponent(key)}`, changedOptions(task, options));
    candidates = isHashed(task) ? candidatesForm(lookFor) : null;
    table = new EstimatesTable({
      requests,
      options,
      unit: task.about.unit,
      sort: isHashed(task) ? "detected" : "-frequency",
      search: settings.search ?? "",
      address,
      other: task.other,
      onanswer: showNumbers,
      onproblem: showProblem,
      onsearch: writeAddress,
    });
    precision = precisionSection(path, task);
    shares = task.level_values.length > 2 ? sharesTable({ requests, task, address }) : null;
    replace(
      known,
      verdict,
      optionsPanel(task, options, choose),
      chart.element,
      shares?.element,
      table.element,
      downloads(),
    );
    replace(
      element,
      make(
        "section",
        { "aria-label": "Results" },
        make("h2", {}, "Results"),
        empty,
        candidates?.element,
        said,
        computing,
        known,
      ),
      precision.element,
    );
  }

  const writeAddress = () => onsettings({ ...changedOptions(task, options), search: table.search });

  function choose(name, value) {
    options[name] = value;
    writeAddress();
    redraw();
  }

  function lookFor(keys) {
    requests.keys = keys;
    table.offset = 0;
    redraw();
  }

  function downloads() {
    const button = (form, work) =>
      make("button", { type: "button", onclick: () => download(form, work) }, form);
    return make(
      "div",
      { class: "buttons", role: "group", "aria-label": "Download" },
      make("span", {}, "Download"),
      ...Object.keys(DOWNLOADS).map((form) => button(form, saveTable)),
      button("SVG", savePicture),
    );
  }

  async function download(form, work) {
    try {
      await work(form);
      announce(`${form} downloaded.`);
    } catch (error) {
      showProblem(error);
    }
  }

  async function saveTable(form) {
    const answer = await requests.send(
      "estimates",
      { ...options, sort: isHashed(task) ? "detected" : "" },
      { accept: DOWNLOADS[form] },
    );
    save(await answer.blob(), fileName(answer));
  }

  async function savePicture() {
    save(new Blob([await chart.svg()], { type: "image/svg+xml" }), `${chart.spec.usermeta.file}.svg`);
  }

  function showNumbers({ reports, verdict: sentences }) {
    counted = reports;
    known.hidden = false;
    const [first, ...others] = sentences;
    replace(
      verdict,
      make(
        "div",
        { class: "note" },
        make("p", { class: "answer" }, first),
        ...others.map((sentence) => make("p", {}, sentence)),
      ),
    );
    if (candidates) showCandidates();
  }

  // Numbers that do not follow the options would be taken for those that do.
  function showProblem(problem) {
    replace(said, problem && !isLost(problem) ? alertBox(problem.message) : null);
    if (problem && problem.status !== 400) return;
    for (const element of [verdict, chart.element, shares?.element, table.element])
      element?.toggleAttribute("hidden", Boolean(problem));
  }

  // The numbers first: charts need a script that takes longer to load.
  const redraw = newestOnly(async (signal) => {
    const began = Date.now();
    let reports = task.reports;
    drawn = { reports, next: Infinity };
    const slow = setTimeout(sayComputing, SAY_AFTER_MILLISECONDS);
    signal.addEventListener("abort", () => clearTimeout(slow));
    const answered = await table.refresh();
    if (signal.aborted) return;
    clearTimeout(slow);
    computing.textContent = "";
    const complete = answered && (await drawCharts(signal));
    if (signal.aborted) return;
    // Try again even if no report comes.
    if (!complete) reports = -1;
    // Slow estimates are requested less often.
    drawn = { reports, next: Date.now() + Math.max(1000 * CHART_SECONDS, 5 * (Date.now() - began)) };
  });

  function sayComputing() {
    const last = counted ? `; the last result is from ${plural(counted, "report")}` : "";
    computing.textContent = `Computing estimates of ${plural(requests.keys?.length ?? task.keys, "key")} from ${plural(task.reports, "report")} …${last}`;
  }

  async function drawCharts(signal) {
    try {
      const spec = await requests.ask("chart", options, { signal });
      const precisely = { ...options, candidates: requests.keys?.length };
      await Promise.all([chart.draw(spec), shares?.refresh(options), precision.refresh(precisely)]);
    } catch (error) {
      if (!signal.aborted) showProblem(error);
      return false;
    }
    return true;
  }

  function show(overview) {
    const first = task === undefined;
    task = overview;
    if (first) build();
    empty.hidden = task.reports > 0;
    if (candidates) showCandidates();
    if (drawn.reports === task.reports || Date.now() <= drawn.next || document.hidden) return;
    if (task.reports && waitsForKeys()) {
      if (first) precision.refresh(options);
    } else if (task.reports) redraw();
    else {
      drawn.reports = 0;
      precision.refresh(options);
    }
  }

  function showCandidates() {
    candidates.element.hidden = !task.reports;
    candidates.showSince(counted ? task.reports - counted : 0);
  }

  // Hashed keys are looked for when somebody asks, which may take long, and again by itself only if that failed.
  const waitsForKeys = () => candidates !== null && (requests.keys === null || drawn.reports >= 0);

  function stop() {
    redraw.stop();
    table?.stop();
    chart.stop();
    shares?.stop();
    precision?.stop();
  }

  return { element, show, stop };
}

// The name that the collector gave a download: names outside ASCII come in another form.
export function fileName(answer) {
  const header = answer.headers.get("Content-Disposition");
  const encoded = /filename\*=UTF-8''([^;]+)/.exec(header);
  return encoded ? decodeURIComponent(encoded[1]) : /filename="([^"]+)"/.exec(header)[1];
}
