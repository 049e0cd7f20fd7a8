// How the values of those who hold one key are spread: shares, quantiles, and shares above and below a value.
import { choice, field, make, replace } from "../shared/page.js";
import { levelTexts, shareTexts, UNKNOWN, valueTexts } from "../shared/ranges.js";
import { ranged, Table } from "../shared/table.js";
import { levelShare } from "./shares.js";

const QUANTILES = {
  0.1: "A tenth",
  0.25: "A quarter",
  0.5: "Half",
  0.75: "Three quarters",
  0.9: "Nine tenths",
};

// What is said of a key that stands out, whose task has more than two levels, with a place for the chart.
// `threshold` is the number of a level, and `onthreshold` is called with another one when it is chosen.
export function distributionOf(estimate, task, { chart, threshold, onthreshold }) {
  const { unit } = task.about,
    texts = levelTexts(task.level_values);
  if (!estimate.detected) return [make("p", {}, `How their values are spread is ${UNKNOWN}.`)];
  return [
    make("p", {}, spreadSentence(estimate, unit)),
    chart,
    make("div", { class: "tables" }, sharesOf(estimate, texts, unit), quantiles(estimate, task, texts)),
    make("h3", {}, "Above and below a value"),
    thresholds(estimate, texts, unit, threshold, onthreshold),
    task.between === "round" ? make("p", { class: "soft" }, ROUNDED) : null,
  ];
}

const ROUNDED =
  "A value between two levels is counted as one of the two at random, the nearer one more often: means are unbiased, shares are those of the levels, and what a part of them say at most is interpolated between levels.";

const spreadSentence = ({ deviation, deviation_low, deviation_high }, unit) => {
  const { value, low, high } = valueTexts({ value: deviation, low: deviation_low, high: deviation_high }, unit);
  return `The standard deviation of the values is ${value}, between ${low} and ${high}.`;
};

const table = (columns, items, row) =>
  new Table({
    columns: [{ name: columns[0] }, { name: columns[1], number: true }],
    row,
    kind: "compact spread",
  }).show(items).element;

const inUnit = (text, unit) => (unit ? `${text} ${unit}` : text);

function sharesOf({ shares }, texts, unit) {
  const columns = [unit ? `Value, in ${unit}` : "Value", "Share of those who hold it"];
  return table(
    columns,
    shares.map((share, level) => ({ share, text: texts[level] })),
    ({ share, text }) => [text, levelShare(share)],
  );
}

const levelRange = (low, high) => (low === high ? `only ${low}` : `${low} – ${high}`);

// Where only levels are taken, so are quantiles, which need no more digits than the levels.
function quantiles({ quantiles: found }, task, texts) {
  const { unit } = task.about,
    exact = task.between === "refuse",
    level = (value) => texts[task.level_values.indexOf(value)];
  const row = (quantile) => {
    const { value, range } = exact
      ? { value: level(quantile.value), range: levelRange(level(quantile.low), level(quantile.high)) }
      : valueTexts(quantile);
    return [`${QUANTILES[quantile.p]} of them${quantile.p === 0.5 ? " (the median)" : ""}`, ranged(value, range)];
  };
  return table(["Of those who hold it", unit ? `say at most, in ${unit}` : "say at most"], found, row);
}

function thresholds({ above, below }, texts, unit, threshold, onthreshold) {
  const said = make("p", { "aria-live": "polite" });
  // No value is beyond either end.
  const show = (level) => {
    const value = inUnit(texts[level], unit),
      sides = [
        level < texts.length - 1 && [above[level], `more than ${value}`],
        level > 0 && [below[level], `less than ${value}`],
      ];
    const parts = sides.filter(Boolean).flatMap(([share, words], place) => {
      const { value: shown, range } = shareTexts(share);
      return [place ? ", and " : "", make("strong", {}, shown), ` (${range}) say ${words}`];
    });
    replace(said, ...parts, ".");
  };
  const options = texts.map((text, level) => [String(level), text]);
  const select = choice(options, String(threshold), (level) => {
    show(Number(level));
    onthreshold(Number(level));
  });
  show(threshold);
  return make("div", { class: "threshold" }, field(unit ? `Value, in ${unit}` : "Value", select), said);
}
