// What holds within the groups of a segment: people per group, shares side by side, and which keys differ.
import { Chart } from "../shared/chart.js";
import { answersAs, downloads, TABLES } from "../shared/downloads.js";
import { count, make, newestOnly, percent, plural, replace } from "../shared/page.js";
import { differenceTexts, meanTexts, shareTexts, TOO_RARE, UNKNOWN } from "../shared/ranges.js";
import { ranged, Table } from "../shared/table.js";

const MAX_DIFFERENCES = 50;

const limitsOf = ({ share, share_low: low, share_high: high }) => ({ share, low, high });

// The share within a group; nothing is known of one that may be anything.
function shareWithin(row, detected = true) {
  const limits = limitsOf(row),
    { value, range, most } = shareTexts(limits),
    isOpen = limits.high >= 1 && (limits.low <= 0 || !detected),
    words = isOpen ? [UNKNOWN, range] : detected ? [value, range] : [TOO_RARE, most];
  return ranged(...words, Object.values(limits));
}

// The mean stands below the share, where keys have values and it is known.
function cell(row) {
  const said = shareWithin(row, row.detected),
    mean = row.mean_known && meanTexts(row);
  if (mean) said.content.push(make("small", {}, `mean ${mean.value} (${mean.range})`));
  return said;
}

// How many people are in each group.
export function labelsTable({ name, labels }) {
  const columns = [{ name }, { name: "Share of people", number: true }],
    row = (each) => [each.label, shareWithin(each, each.share_low > 0)];
  return new Table({ columns, row, kind: "compact groups" }).show(labels).element;
}

// A row per key, and a column per group; `nameOf` makes what stands for a key.
export function withinTable({ name, labels, cells }, keys, nameOf) {
  const byKey = new Map(keys.map((key) => [key, new Map()]));
  for (const each of cells) byKey.get(each.key)?.set(each.segment, each);
  const columns = [{ name: "Key" }, ...labels.map(({ label }) => ({ name: label, number: true }))],
    row = (key) => [nameOf(key), ...labels.map(({ label }) => cell(byKey.get(key).get(label)))];
  return new Table({
    columns,
    row,
    kind: "compact further within",
    label: `Shares within each group of “${name}”`,
  }).show(keys).element;
}

// One key: a row per group.
export function groupsOfKey({ name, cells }) {
  const columns = [{ name }, { name: "Hold the key", number: true }],
    row = (each) => [each.segment, cell(each)];
  return new Table({ columns, row, kind: "compact further within", label: "The key within each group" }).show(cells)
    .element;
}

// `nameOf` makes what stands for a key; without it, all rows are of one key, which is not named.
export function differencesTable(rows, nameOf) {
  // Beside keys the difference comes first, since a phone shows no more.
  const difference = { name: "Difference", number: true },
    groups = [{ name: "Held more often in" }, { name: "than in" }],
    row = (each) => {
      const { value, range } = differenceTexts(each),
        names = [each.label_a, each.label_b];
      return nameOf ? [nameOf(each.key), ranged(value, range), ...names] : [...names, ranged(value, range)];
    };
  return new Table({
    columns: nameOf ? [{ name: "Key" }, difference, ...groups] : [...groups, difference],
    row,
    kind: "compact further",
    label: "Which keys differ between groups",
  }).show(rows).element;
}

// How many differences stand out, `among` all keys or some, and how often such a list is wrong.
export function differencesSaid({ name, false_discovery_rate: rate }, total, { shown = total, among = "" } = {}) {
  const groups = `between two groups of “${name}”`;
  if (!total) return [`${among ? `${among}no` : "No"} difference of shares ${groups} stands out from the noise.`];
  const verb = total === 1 ? "stands" : "stand",
    list = total > shown ? ` The table has the ${count(shown)} largest.` : "";
  return [
    `${among}${plural(total, "difference")} of shares ${groups} ${verb} out from the noise. On average, at most ${percent(rate)} of such differences are there by chance alone.${list}`,
  ];
}

export class SegmentsSection {
  // `requests` sends them, and `address` gives that of a key's page. `onproblem` gets what went wrong with a download.
  constructor({ requests, task, address, options, onproblem }) {
    Object.assign(this, { requests, segments: null });
    this.nameOf = (key) => make("a", { href: address(key) }, key);
    this.chart = new Chart(
      `Shares of people who hold the most frequent keys within each group of “${task.segment.name}”, all on one scale; the table below has the same numbers.`,
    );
    [this.people, this.within, this.differing] = Array.from({ length: 3 }, () => make("div"));
    const send = (table) => (accept) => requests.send("estimates", { ...options, table }, { accept }),
      files = (table) => downloads(answersAs(TABLES, send(table)), onproblem);
    this.element = make(
      "section",
      { "aria-label": "Within each group", class: "segments" },
      make("h2", {}, `Within each group: ${task.segment.name}`),
      this.people,
      this.chart.element,
      make(
        "p",
        { class: "soft" },
        "The grey line is the share of all people. The table has the keys of the one above.",
      ),
      this.within,
      files("segments"),
      make("h3", {}, "Which shares differ"),
      this.differing,
      files("differences"),
    );
  }

  // With every page of the table of estimates.
  show({ segments, estimates }) {
    const keys = estimates.map(({ key }) => key);
    this.segments = segments;
    replace(this.people, labelsTable(segments));
    replace(this.within, keys.length ? withinTable(segments, keys, this.nameOf) : null);
  }

  refresh = newestOnly(async (signal, options) => {
    const { requests } = this,
      answer = await requests.send(
        "estimates",
        { ...options, table: "differences", limit: MAX_DIFFERENCES },
        { signal },
      ),
      total = Number(answer.headers.get("X-Total-Count")),
      found = await answer.json(),
      said = differencesSaid(this.segments, total, { shown: found.rows.length });
    replace(
      this.differing,
      ...said.map((sentence) => make("p", {}, sentence)),
      found.rows.length ? differencesTable(found.rows, this.nameOf) : null,
    );
    await this.chart.draw(await requests.ask("chart", { ...options, table: "segments" }, { signal }));
  });

  stop() {
    this.refresh.stop();
    this.chart.stop();
  }
}
