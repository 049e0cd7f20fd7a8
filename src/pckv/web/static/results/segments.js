// What holds within the groups of a segment: people per group, shares side by side, and which keys differ.
import { answersAs, downloads, TABLES } from "../shared/downloads.js";
import { language, t } from "../shared/language.js";
import { count, make, percent, plural, replace } from "../shared/page.js";
import { differenceTexts, meanTexts, shareTexts, TOO_RARE, UNKNOWN } from "../shared/ranges.js";
import { named, ranged, Table } from "../shared/table.js";
import { BarsFigure, shareScale } from "./bars.js";
import { ROWS_DRAWN } from "./panels.js";

const MAX_DIFFERENCES = 50;

const limitsOf = ({ share, share_low: low, share_high: high }) => ({ share, low, high });

// What tables and charts say of the share within a group: of one that stands out at least that it is above zero, and the
// range of any other begins at 0.
function shareSaid(row, detected) {
  const limits = limitsOf(row),
    { value, range, most, high } = shareTexts(limits),
    known = detected && (limits.low > 0 || limits.high < 1),
    word = known ? value : t("above zero");
  if (detected) return { known, word, range: limits.low > 0 ? range : t("up to {high}", { high }), limits };
  return { known, word: limits.high < 1 ? TOO_RARE : UNKNOWN, range: most, limits: { ...limits, low: 0 } };
}

function shareWithin(row, detected = true) {
  const { word, range, limits } = shareSaid(row, detected);
  return ranged(word, range, Object.values(limits));
}

// The mean stands below the share, where keys have values and it is known.
function cell(row) {
  const said = shareWithin(row, row.detected),
    mean = row.mean_known && meanTexts(row);
  if (mean) said.content.push(make("small", {}, t("average {value} ({range})", mean)));
  return said;
}

// How many people are in each group.
export function labelsTable({ name, labels }) {
  const columns = [{ name }, { name: t("Share of people"), number: true }],
    row = (each) => [named(each.label), shareWithin(each, each.share_low > 0)];
  return new Table({ columns, row, kind: "compact groups" }).show(labels).element;
}

// A row per key, and a column per group; `nameOf` makes what stands for a key.
export function withinTable({ name, labels, cells }, keys, nameOf) {
  const byKey = new Map(keys.map((key) => [key, new Map()]));
  for (const each of cells) byKey.get(each.key)?.set(each.segment, each);
  const columns = [{ name: t("Answer option") }, ...labels.map(({ label }) => ({ name: label, number: true }))],
    row = (key) => [nameOf(key), ...labels.map(({ label }) => cell(byKey.get(key).get(label)))];
  return new Table({
    columns,
    row,
    kind: "compact further within",
    label: t("Shares within each group of “{name}”", { name }),
  }).show(keys).element;
}

// One key: a row per group.
export function groupsOfKey({ name, cells }) {
  const columns = [{ name }, { name: t("Chosen by"), number: true }],
    row = (each) => [named(each.segment), cell(each)];
  return new Table({ columns, row, kind: "compact further within", label: t("The answer within each group") }).show(
    cells,
  ).element;
}

// `nameOf` makes what stands for a key; without it, all rows are of one key, which is not named.
export function differencesTable(rows, nameOf) {
  // Beside keys the difference comes first, since a phone shows no more.
  const difference = { name: t("Difference"), number: true },
    groups = [{ name: t("Chosen more often in") }, { name: t("than in") }],
    row = (each) => {
      const { value, range } = differenceTexts(each),
        names = [named(each.label_a), named(each.label_b)];
      return nameOf ? [nameOf(each.key), ranged(value, range), ...names] : [...names, ranged(value, range)];
    };
  return new Table({
    columns: nameOf ? [{ name: t("Answer option") }, difference, ...groups] : [...groups, difference],
    row,
    kind: "compact further",
    label: t("Which answers differ between groups"),
  }).show(rows).element;
}

// How many differences stand out, and how often such a list is wrong. `isPart`: among the keys shown only.
export function differencesSaid({ name, false_discovery_rate: rate }, total, { shown = total, isPart = false } = {}) {
  if (!total)
    return [
      isPart
        ? t("Among these answers, no difference between two groups of “{name}” stands out from the noise.", { name })
        : t("No difference between two groups of “{name}” stands out from the noise.", { name }),
      t("That does not mean that there is none: where ranges are wide, even a large one may stay hidden."),
    ];
  const values = { name, differences: plural(total, "difference"), rate: percent(rate) };
  return [
    isPart
      ? t(
          "Among these answers, the table has {differences} between two groups of “{name}” that stand out from the noise. On average, at most {rate} of such differences are there by chance alone.",
          values,
        )
      : t(
          "The table has {differences} between two groups of “{name}” that stand out from the noise. On average, at most {rate} of such differences are there by chance alone.",
          values,
        ),
    ...(total > shown ? [t("It lists the {number} largest.", { number: count(shown) })] : []),
  ];
}

// A panel per group, all on one axis from 0; the line is the share of all people, where that is known.
export function groupPanels({ labels, cells }, estimates) {
  const keys = estimates.slice(0, ROWS_DRAWN),
    overall = new Map(keys.map(({ key, detected, frequency }) => [key, detected ? frequency : undefined])),
    found = new Map(cells.map((each) => [JSON.stringify([each.segment, each.key]), each]));
  const panels = labels.map(({ label }) => ({
    title: label,
    label: t("Chosen by, within the group {label}", { label }),
    rows: keys.map(({ key }) => cellRow(found.get(JSON.stringify([label, key])), overall.get(key))),
  }));
  const scale = shareScale(panels.flatMap(({ rows }) => rows));
  return panels.map((panel) => ({ ...panel, scale }));
}

// What is grey: shares that do not stand out, and those that do but may be any.
function greySaid(rows) {
  const grey = rows.filter(({ known }) => !known);
  if (!grey.length) return null;
  return grey.some(({ detected }) => detected)
    ? t("Grey: not clearly above zero, or of unknown size.")
    : t("Grey: not clearly above zero.");
}

// How to read the panels: only what they draw.
export function groupsCaption(panels) {
  const rows = panels.flatMap((panel) => panel.rows);
  return [
    rows.some(({ mark }) => mark !== undefined) && t("The upright line is the share of all people."),
    greySaid(rows),
  ]
    .filter(Boolean)
    .join(" ");
}

function cellRow(row, overall) {
  const { known, word, range, limits } = shareSaid(row, row.detected);
  return {
    name: row.key,
    detected: row.detected,
    value: row.share,
    low: limits.low,
    high: limits.high,
    mark: overall,
    known,
    shown: word === TOO_RARE ? t("not clear") : word,
    range,
    words: `${word} (${range})`,
  };
}

export class SegmentsSection {
  // `requests` sends them, and `address` gives that of a key's page. `onproblem` gets what went wrong with a download.
  constructor({ requests, task, address, options, onproblem }) {
    Object.assign(this, { requests, task });
    this.nameOf = (key) => make("a", { href: address(key) }, named(key));
    this.chart = new BarsFigure();
    [this.people, this.within, this.differing] = Array.from({ length: 3 }, () => make("div"));
    const send = (table) => (accept) => requests.file("estimates", { ...options, table, language }, { accept }),
      files = (table) => downloads(answersAs(TABLES, send(table)), onproblem);
    this.element = make(
      "section",
      { "aria-label": t("Within each group"), class: "segments" },
      make("h2", {}, t("Within each group: {name}", { name: task.segment.name })),
      this.people,
      this.chart.element,
      this.within,
      files("segments"),
      make("h3", {}, t("Which answers differ")),
      this.differing,
      files("differences"),
    );
  }

  // With every page of the table of estimates.
  showRows({ segments, estimates }) {
    const keys = estimates.map(({ key }) => key);
    replace(this.within, keys.length ? withinTable(segments, keys, this.nameOf) : null);
  }

  // Resolves to a function that shows what was loaded.
  async load(options, signal) {
    const { requests, task } = this,
      { segments, estimates } = requests.first.content,
      asked = { ...options, table: "differences", limit: MAX_DIFFERENCES },
      answer = await requests.send("estimates", asked, { signal }),
      total = Number(answer.headers.get("X-Total-Count")),
      found = await answer.json(),
      said = differencesSaid(segments, total, { shown: found.rows.length });
    return () => {
      replace(this.people, labelsTable(segments));
      const listed = estimates.filter(({ key }) => key !== task.other),
        panels = groupPanels(segments, listed);
      this.chart.show(panels, groupsCaption(panels));
      replace(
        this.differing,
        ...said.map((sentence) => make("p", {}, sentence)),
        found.rows.length ? differencesTable(found.rows, this.nameOf) : null,
      );
    };
  }
}
