// What the reports of a task tell: a sentence, a chart, a table, options, downloads, and how precise all that is.
import { withSettings } from "./address.js";
import { Chart } from "./chart.js";
import { isLost } from "./connection.js";
import { changedOptions, optionsPanel, readOptions } from "./estimate-options.js";
import { EstimatesTable } from "./estimates-table.js";
import { alertBox, announce, ask, make, newestOnly, plural, query, replace, request, save } from "./page.js";
import { precisionSection } from "./precision.js";
import { sharesTable } from "./shares.js";

const CHART_SECONDS = 10;
// Estimates that take longer than this are announced.
const SAY_AFTER_MILLISECONDS = 400;
export const DOWNLOADS = { CSV: "text/csv", Parquet: "application/vnd.apache.parquet", JSON: "application/json" };

// `settings` are those of the address; `onsettings` is called with those that belong there now.
// `show` is called with every overview of the task.
export function resultsSection({ id, path, settings, onsettings }) {
  const said = make("div"),
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
    options,
    // The number of reports that the numbers on the page are from.
    counted = 0,
    drawn = { reports: -1, next: 0 };

  function build() {
    options = readOptions(task, settings);
    const address = (key) => withSettings(`#/tasks/${id}/keys/${encodeURIComponent(key)}`, changedOptions(task, options));
    table = new EstimatesTable({
      path,
      options,
      unit: task.about.unit,
      search: settings.search ?? "",
      address,
      onanswer: showNumbers,
      onproblem: showProblem,
      onsearch: writeAddress,
    });
    precision = precisionSection(path, task);
    shares = task.level_values.length > 2 ? sharesTable({ path, task, address }) : null;
    replace(known, verdict, optionsPanel(task, options, choose), chart.element, shares?.element, table.element, downloads());
    replace(
      element,
      make("section", { "aria-label": "Results" }, make("h2", {}, "Results"), empty, said, computing, known),
      precision.element,
    );
  }

  const writeAddress = () => onsettings({ ...changedOptions(task, options), search: table.search });

  function choose(name, value) {
    options[name] = value;
    writeAddress();
    redraw();
  }

  function downloads() {
    const button = (form, work) => make("button", { type: "button", onclick: () => download(form, work) }, form);
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
    const answer = await request("GET", `${path}/estimates?${query(options)}`, { accept: DOWNLOADS[form] });
    save(await answer.blob(), fileName(answer));
  }

  async function savePicture() {
    save(new Blob([await chart.svg()], { type: "image/svg+xml" }), `${chart.spec.usermeta.file}.svg`);
  }

  function showNumbers({ reports, verdict: sentences }) {
    counted = reports;
    known.hidden = false;
    const [first, ...others] = sentences;
    replace(verdict, make("div", { class: "note" }, make("p", { class: "answer" }, first), make("p", {}, others.join(" "))));
  }

  // Numbers that do not follow the options would be taken for those that do.
  function showProblem(problem) {
    replace(said, problem && !isLost(problem) ? alertBox(problem.message) : null);
    if (problem && problem.status !== 400) return;
    for (const element of [verdict, chart.element, shares?.element, table.element]) element?.toggleAttribute("hidden", Boolean(problem));
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
    computing.textContent = `Computing estimates of ${plural(task.keys, "key")} from ${plural(task.reports, "report")} …${last}`;
  }

  async function drawCharts(signal) {
    try {
      const spec = await ask("GET", `${path}/chart?${query(options)}`, { signal });
      await Promise.all([chart.draw(spec), shares?.refresh(options), precision.refresh(options)]);
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
    if (drawn.reports === task.reports || Date.now() <= drawn.next || document.hidden) return;
    if (task.reports) redraw();
    else {
      drawn.reports = 0;
      precision.refresh(options);
    }
  }

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
