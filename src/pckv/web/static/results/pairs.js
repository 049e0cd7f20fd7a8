// Which keys are held together: a heat map, a table of pairs, and the partners of one key.
import { Chart } from "../shared/chart.js";
import { answersAs, downloads, TABLES } from "../shared/downloads.js";
import { language, t } from "../shared/language.js";
import { count, make, percent, plural, replace } from "../shared/page.js";
import { shareTexts, TOO_RARE, UNKNOWN, valueTexts } from "../shared/ranges.js";
import { named, parted, ranged, Table } from "../shared/table.js";

const MAX_PAIRS = 50;

const RELATIONS = { together: t("more often than by chance"), apart: t("less often than by chance"), "": "" };

export const LIFT = t(
  "“Times chance” is how many times as often both are chosen as they would be if choosing one said nothing about the other: 1 is chance.",
);

export const COLOURS = t(
  "Blue: chosen together more often than by chance; red: less often; the fuller, the stronger. Grey combinations do not stand out.",
);

const limitsOf = (row, name) => ({ share: row[name], low: row[`${name}_low`], high: row[`${name}_high`] });

// Of a pair that noise alone may give, no more is known than how large a share is at most.
function shareCell(row, name) {
  const limits = limitsOf(row, name),
    { value, range, most } = shareTexts(limits),
    isOpen = limits.high >= 1 && (limits.low <= 0 || !row.detected),
    words = isOpen ? [UNKNOWN, range] : row.detected ? [value, range] : [TOO_RARE, most];
  return ranged(...words, Object.values(limits));
}

function liftCell(row) {
  if ([row.lift, row.lift_low, row.lift_high].includes(null)) return UNKNOWN;
  const { value, range, high } = valueTexts({ value: row.lift, low: row.lift_low, high: row.lift_high });
  // What noise alone may give may have no lift at all.
  return row.detected ? ranged(value, range) : t("at most {high}", { high });
}

// `nameOf` makes what stands for a key.
export function pairsTable(rows, nameOf) {
  const columns = [
    { name: t("Answer options") },
    // First, since a phone shows no more.
    { name: t("Times chance"), number: true },
    { name: t("Chosen together") },
    { name: t("Chose both"), number: true },
    { name: t("Of those with the first, chose the second"), number: true },
    { name: t("Of those with the second, chose the first"), number: true },
  ];
  const row = (pair) => [
    parted(t("{first} and {second}"), { first: nameOf(pair.first), second: nameOf(pair.second) }),
    liftCell(pair),
    RELATIONS[pair.relation],
    shareCell(pair, "share"),
    shareCell(pair, "second_given_first"),
    shareCell(pair, "first_given_second"),
  ];
  const isSoft = ({ detected }) => !detected;
  return new Table({ columns, row, isSoft, kind: "compact further pairs", label: t("Answers chosen together") }).show(
    rows,
  ).element;
}

// The partners of a key, as those who hold it hold them.
export function partnersTable(rows, key, nameOf) {
  const columns = [
    { name: t("Chosen with it") },
    { name: t("Times chance"), number: true },
    { name: t("Chosen together") },
    { name: t("Of those who chose this answer"), number: true },
    { name: t("Chose both, of all people"), number: true },
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
  return new Table({ columns, row, isSoft, kind: "compact further pairs", label: t("Chosen with it") }).show(rows)
    .element;
}

// How many pairs are listed, and how often such a list is wrong.
export function pairsSaid({ tested, false_discovery_rate: rate }, total, shown = total) {
  if (!total)
    return [t("None of {combinations} stands out from the noise.", { combinations: plural(tested, "combination") })];
  const values = { shown: count(shown), total: count(total), tested: count(tested), rate: percent(rate) };
  return [
    total > shown
      ? t(
          "The table has the first {shown} of {total} combinations, of {tested} possible ones, that stand out: because their share is clearly above 0 %, or because both are chosen together more or less often than by chance. On average, at most {rate} of the claims of either kind are false.",
          values,
        )
      : t(
          "The table has the combinations, of {tested} possible ones, that stand out: because their share is clearly above 0 %, or because both are chosen together more or less often than by chance. On average, at most {rate} of the claims of either kind are false.",
          values,
        ),
    LIFT,
  ];
}

export class PairsSection {
  constructor({ requests, address, options, onproblem }) {
    this.requests = requests;
    this.nameOf = (key) => make("a", { href: address(key) }, named(key));
    this.chart = new Chart(
      t(
        "Which answers are chosen together more often (blue) or less often (red) than by chance; the table below has the numbers.",
      ),
    );
    this.listed = make("div");
    const send = (accept) => requests.file("estimates", { ...options, table: "pairs", language }, { accept });
    this.element = make(
      "section",
      { "aria-label": t("Chosen together"), class: "together" },
      make("h2", {}, t("Chosen together")),
      make("div", { class: "heat-map" }, this.chart.element),
      make("p", { class: "soft" }, COLOURS),
      this.listed,
      downloads(answersAs(TABLES, send), onproblem),
    );
  }

  // Resolves to a function that shows what was loaded.
  async load(options, signal) {
    const { requests } = this,
      answer = await requests.send("estimates", { ...options, table: "pairs", limit: MAX_PAIRS }, { signal }),
      total = Number(answer.headers.get("X-Total-Count")),
      found = await answer.json(),
      chart = await requests.ask("chart", { ...options, table: "pairs" }, { signal }),
      said = pairsSaid(found, total, found.rows.length);
    return () => {
      replace(
        this.listed,
        ...said.map((sentence) => make("p", {}, sentence)),
        found.rows.length ? pairsTable(found.rows, this.nameOf) : null,
      );
      this.chart.draw(chart).catch(() => {});
    };
  }

  stop() {
    this.chart.stop();
  }
}
