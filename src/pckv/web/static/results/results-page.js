// The public results of a task: read-only, for anyone with the link.
import { Chart } from "../shared/chart.js";
import { alertBox, ask, count, make, percent, plural, replace } from "../shared/page.js";
import { levelTexts, meanTitle, UNKNOWN } from "../shared/ranges.js";
import { rangeBar, Table } from "../shared/table.js";
import { meanCell, shareCell } from "./estimates.js";
import { COLOURS, pairsSaid, pairsTable } from "./pairs.js";
import { differencesSaid, differencesTable, labelsTable, withinTable } from "./segments.js";
import { sharesSpecification, tableOfShares } from "./shares.js";

// The collector computes the numbers once per minute.
const POLL_SECONDS = 60;

const main = document.getElementById("main"),
  id = location.pathname.split("/").pop(),
  said = make("div"),
  chart = new Chart("Shares of the values among those who hold a key; the table below has the same numbers."),
  further = new Chart("Shares within groups, or keys that are held together; the table below has the numbers."),
  body = make("div", { class: "results-page" });
replace(main, body, said);

const ENDED = {
  404: "The results of this task are not public.",
  410: "This task was deleted, and its results with it.",
};

async function refresh() {
  try {
    const results = await ask("GET", `/tasks/${encodeURIComponent(id)}/results`);
    show(results);
    replace(said);
  } catch (error) {
    replace(said, alertBox(ENDED[error.status] ?? `${error.message} The page goes on trying.`));
    if (error.status in ENDED) return replace(body, make("h1", {}, "No results here"));
  }
  setTimeout(refresh, 1000 * POLL_SECONDS);
}

function show(results) {
  const { name, about, reports, withheld } = results;
  document.title = `${name} – results`;
  replace(
    body,
    make("h1", {}, about.question || name),
    about.description ? make("p", { class: "text" }, about.description) : null,
    make(
      "section",
      { "aria-label": "Reports" },
      make(
        "p",
        { class: "big" },
        make("strong", { id: "reports" }, count(reports)),
        " ",
        reports === 1 ? "report" : "reports",
      ),
      make("p", {}, state(results)),
    ),
    make("section", { "aria-label": "Results" }, make("h2", {}, "Results"), ...outcome(results)),
    withheld
      ? null
      : make("section", { "aria-label": "How to read this" }, make("h2", {}, "How to read this"), ...reading(results)),
  );
}

// No numbers where counts are impossible: the collector sends none.
function outcome(results) {
  const { reports, verdict, withheld } = results;
  if (withheld) return [make("p", { class: "alert" }, withheld)];
  if (!reports) return [make("p", {}, "There are no reports yet.")];
  const known = [table(results), shown(results), spread(results), ...within(results), ...together(results)];
  return [make("p", { class: "note" }, verdict.join(" ")), ...known];
}

function state({ phase, closed, closes, opens, last_report: last }) {
  const since = last ? ` The last report came on ${last}.` : "";
  if (phase === "closed") return `The collection is closed since ${closed ?? closes}.${since}`;
  if (phase === "waiting") return `The collection opens on ${opens}.`;
  return `The collection is open${closes ? ` until ${closes}` : ""}.${since}`;
}

// Bars have the same scale in all rows, up to the largest end of an interval.
function table({ estimates, other, ...task }) {
  const title = meanTitle(task),
    most = Math.max(...estimates.map((row) => row.frequency_high), 1e-9);
  const columns = [{ name: "Key" }, { name: "" }, { name: "Share of people" }, ...(title ? [{ name: title }] : [])];
  const row = (estimate) => [
    estimate.key,
    rangeBar(estimate, most, estimate.detected),
    shareCell(estimate),
    ...(title ? [estimate.mean_known || estimate.reported_mean_known ? meanCell(estimate) : UNKNOWN] : []),
  ];
  const isSoft = ({ detected }) => !detected;
  return new Table({ columns, row, isSoft, kind: "public" }).show(listed(estimates, other)).element;
}

// Those of keys that are not listed stand apart: they are told in a sentence.
const listed = (estimates, other) => estimates.filter(({ key }) => key !== other);

// What people say of the keys, where a task has more than two levels. An open table stays open.
function spread({ estimates, other, about: { unit } }) {
  const known = listed(estimates, other).filter(({ shares, mean_known: isKnown }) => shares && isKnown);
  if (!known.length) return null;
  const texts = levelTexts(known[0].shares.map(({ value }) => value)),
    open = body.querySelector("details")?.open ?? false;
  // The table has the same numbers: without the script that draws, nothing is missing.
  chart.draw(sharesSpecification(known, texts, unit)).catch(() => {});
  return make(
    "div",
    { class: "shares" },
    make("h3", {}, `What those who hold a key say${unit ? `, in ${unit}` : ""}`),
    chart.element,
    make(
      "p",
      { class: "soft" },
      "The width of a part is the share of people, among those who hold the key, who give that value.",
    ),
    make(
      "details",
      { open },
      make("summary", {}, "The same as a table, with ranges"),
      tableOfShares(known, texts, (key) => key),
    ),
  );
}

const sentence = (text) => make("p", {}, text);

const sameKey = (key) => key;

// Shares within the groups of a segment, and which keys differ between them.
function within({ segments, estimates, other, chart: spec }) {
  if (!segments) return [];
  const keys = listed(estimates, other).map(({ key }) => key),
    { differences } = segments;
  further.draw(spec).catch(() => {});
  return [
    make("h3", {}, `Within each group: ${segments.name}`),
    labelsTable(segments),
    further.element,
    withinTable(segments, keys, sameKey),
    make("h3", {}, "Which shares differ"),
    ...differencesSaid(segments, differences.length, { among: "Among these keys, " }).map(sentence),
    differences.length ? differencesTable(differences, sameKey) : null,
  ];
}

function together({ pairs, pairs_found: found, chart: spec }) {
  if (!pairs) return [];
  further.draw(spec).catch(() => {});
  return [
    make("h3", {}, "Held together"),
    make("div", { class: "heat-map" }, further.element),
    sentence(COLOURS),
    ...pairsSaid(pairs, found, pairs.rows.length).map(sentence),
    pairs.rows.length ? pairsTable(pairs.rows, sameKey) : null,
  ];
}

function shown({ keys, other, estimates }) {
  const all = keys - (other === null ? 0 : 1),
    rows = listed(estimates, other).length;
  return all > rows ? make("p", {}, `The first ${count(rows)} of ${plural(all, "key")}.`) : null;
}

function reading({ level, epsilon, padding, method, about: { contact } }) {
  const sentences = [
    `Every answer was made noisy on the person's own device before it was sent. What a single report can tell about its person is limited, towards those who collect it as well (local differential privacy with ε = ${epsilon}).`,
    `What is shown here is about all people together. Each number has a range, made to hold the true one in ${percent(level)} of cases. The bar shows the share of people, and the line its range.`,
    `Grey rows are too rare to tell from 0 %. A report stands for up to ${plural(padding, "answer")} of a person; the method is “${method}”.`,
    ...(contact ? [`Contact: ${contact}`] : []),
  ];
  return sentences.map((sentence) => make("p", {}, sentence));
}

refresh();
