// What the reports of a task tell: verdict, chart, table, options, downloads, precision.
import { Chart } from "./chart.js";
import { EstimatesTable } from "./estimates-table.js";
import { alertBox, announce, ask, choice, field, make, newestOnly, plural, query, replace, request, save } from "./page.js";
import { precisionSection } from "./precision.js";

const CHART_SECONDS = 10;
// Estimates that take longer than this are announced.
const SAY_AFTER_MILLISECONDS = 400;
const LEVELS = ["0.8", "0.9", "0.95", "0.99", "0.999"].map((level) => [level, `${Number((100 * level).toFixed(1))} %`]);
const DOWNLOADS = { CSV: "text/csv", Parquet: "application/vnd.apache.parquet" };

// `settings` are those of the address; `onsettings` is called with those that somebody has chosen.
// `show` is called with every overview of the task.
export function resultsSection({ id, path, settings: given, onsettings }) {
  const settings = { post: "", level: "0.95", hostile: "", ...given };
  const said = make("div"),
    verdict = make("div", { class: "verdict", "aria-live": "polite" }),
    computing = make("p", { class: "computing", role: "status" }),
    element = make("div");
  const chart = new Chart(
    "Frequency and mean of the most frequent keys with their intervals; the table below has the same numbers.",
    200,
  );
  let table,
    task,
    precision,
    drawn = { reports: -1, next: 0 };

  function build() {
    settings.method ??= task.method;
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
      value: settings.hostile,
      onchange: () => choose("hostile", hostile.value.trim()),
    });
    replace(
      element,
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
        said,
        computing,
        verdict,
        chart.element,
        table.element,
      ),
      precision.element,
    );
  }

  function choose(name, value) {
    settings[name] = value;
    onsettings(settings);
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

  function show(overview) {
    const first = task === undefined;
    task = overview;
    if (first) build();
    if (drawn.reports !== task.reports && Date.now() > drawn.next && !document.hidden) redraw();
  }

  function stop() {
    redraw.stop();
    table?.stop();
    chart.stop();
    precision?.stop();
  }

  return { element, show, stop };
}
