// Which keys are held together: a heat map, a table of pairs, and the partners of one key.
import { Chart } from "../shared/chart.js";
import { answersAs, downloads, TABLES } from "../shared/downloads.js";
import { count, make, newestOnly, percent, plural, replace } from "../shared/page.js";
import { shareTexts, TOO_RARE, UNKNOWN, valueTexts } from "../shared/ranges.js";
import { ranged, Table } from "../shared/table.js";

const MAX_PAIRS = 50;

const RELATIONS = { together: "more often than by chance", apart: "less often than by chance", "": "" };

export const LIFT =
  "The lift is how many times as often both are held as they would be if holding one said nothing about the other: 1 is chance.";

export const COLOURS =
  "Blue: held together more often than by chance; red: less often; the fuller, the stronger. Grey pairs do not stand out.";

const limitsOf = (row, name) => ({ share: row[name], low: row[`${name}_low`], high: row[`${name}_high`] });

// Of a pair that is too rare to tell, no more is known than how large a share is at most.
function shareCell(row, name) {
  const limits = limitsOf(row, name),
    { value, range, most } = shareTexts(limits),
    isOpen = limits.high >= 1 && (limits.low <= 0 || !row.detected),
    words = isOpen ? [UNKNOWN, range] : row.detected ? [value, range] : [TOO_RARE, most];
  return ranged(...words, Object.values(limits));
}

function liftCell(row) {
  if ([row.lift, row.lift_low, row.lift_high].includes(null)) return UNKNOWN;
  const { value, range, most } = valueTexts({ value: row.lift, low: row.lift_low, high: row.lift_high });
  // What is too rare to tell may have no lift at all.
  return row.detected ? ranged(value, range) : most;
}

// `nameOf` makes what stands for a key.
export function pairsTable(rows, nameOf) {
  const columns = [
    { name: "Keys" },
    // First, since a phone shows no more.
    { name: "Lift", number: true },
    { name: "Held together" },
    { name: "Hold both", number: true },
    { name: "Of those with the first, hold the second", number: true },
    { name: "Of those with the second, hold the first", number: true },
  ];
  const row = (pair) => [
    [nameOf(pair.first), " and ", nameOf(pair.second)],
    liftCell(pair),
    RELATIONS[pair.relation],
    shareCell(pair, "share"),
    shareCell(pair, "second_given_first"),
    shareCell(pair, "first_given_second"),
  ];
  const isSoft = ({ detected }) => !detected;
  return new Table({ columns, row, isSoft, kind: "compact further pairs", label: "Keys held together" }).show(rows)
    .element;
}

// The partners of a key, as those who hold it hold them.
export function partnersTable(rows, key, nameOf) {
  const columns = [
    { name: "Partner" },
    { name: "Lift", number: true },
    { name: "Held together" },
    { name: "Of those who hold the key, hold it too", number: true },
    { name: "Hold both, of all people", number: true },
  ];
  const row = (pair) => {
    const isFirst = pair.first === key;
    return [
      nameOf(isFirst ? pair.second : pair.first),
      liftCell(pair),
      RELATIONS[pair.relation],
      shareCell(pair, isFirst ? "second_given_first" : "first_given_second"),
      shareCell(pair, "share"),
    ];
  };
  const isSoft = ({ detected }) => !detected;
  return new Table({ columns, row, isSoft, kind: "compact further pairs", label: "Partners" }).show(rows).element;
}

// How many pairs are listed, and how often such a list is wrong.
export function pairsSaid({ tested, false_discovery_rate: rate }, total, shown = total) {
  if (!total) return [`None of ${plural(tested, "pair")} of keys stands out from the noise.`];
  const which = total > shown ? `the first ${count(shown)} of ${count(total)} pairs` : "the pairs";
  return [
    `The table has ${which}, of ${count(tested)} possible ones, that stand out: their share from 0 %, or how often both are held from chance. On average, at most ${percent(rate)} of the claims of either kind are false.`,
    LIFT,
  ];
}

export class PairsSection {
  constructor({ requests, address, options, onproblem }) {
    this.requests = requests;
    this.nameOf = (key) => make("a", { href: address(key) }, key);
    this.chart = new Chart(
      "Which keys are held together more often (blue) or less often (red) than by chance; the table below has the numbers.",
    );
    this.listed = make("div");
    const send = (accept) => requests.send("estimates", { ...options, table: "pairs" }, { accept });
    this.element = make(
      "section",
      { "aria-label": "Held together", class: "together" },
      make("h2", {}, "Held together"),
      make("div", { class: "heat-map" }, this.chart.element),
      make("p", { class: "soft" }, COLOURS),
      this.listed,
      downloads(answersAs(TABLES, send), onproblem),
    );
  }

  refresh = newestOnly(async (signal, options) => {
    const { requests } = this,
      answer = await requests.send("estimates", { ...options, table: "pairs", limit: MAX_PAIRS }, { signal }),
      total = Number(answer.headers.get("X-Total-Count")),
      found = await answer.json(),
      said = pairsSaid(found, total, found.rows.length);
    replace(
      this.listed,
      ...said.map((sentence) => make("p", {}, sentence)),
      found.rows.length ? pairsTable(found.rows, this.nameOf) : null,
    );
    await this.chart.draw(await requests.ask("chart", { ...options, table: "pairs" }, { signal }));
  });

  stop() {
    this.refresh.stop();
    this.chart.stop();
  }
}
