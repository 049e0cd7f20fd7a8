// How the values of those who hold one key are spread: shares, quantiles, and shares above and below a value.
import { t } from "../shared/language.js";
import { choice, field, make, replace } from "../shared/page.js";
import { levelNames, levelTexts, shareTexts, UNKNOWN, valueTexts } from "../shared/ranges.js";
import { ranged, Table } from "../shared/table.js";
import { levelShare } from "./shares.js";

const QUANTILES = {
  0.1: t("A tenth of them"),
  0.25: t("A quarter of them"),
  0.5: t("Half of them (the median)"),
  0.75: t("Three quarters of them"),
  0.9: t("Nine tenths of them"),
};

// What is said of a key that stands out, whose task has more than two levels, with a place for the chart.
// `threshold` is the number of a level, and `onthreshold` is called with another one when it is chosen.
export function distributionOf(estimate, task, { chart, threshold, onthreshold }) {
  const { unit } = task.about,
    texts = levelTexts(task.level_values),
    names = levelNames(task.level_values, task.about);
  if (!estimate.detected) return [make("p", {}, t("How their values are spread is unknown."))];
  return [
    make("p", {}, spreadSentence(estimate, unit)),
    chart,
    make("div", { class: "tables" }, sharesOf(estimate, names, unit), quantiles(estimate, task, names)),
    make("h3", {}, t("Above and below a value")),
    thresholds(estimate, { texts, names }, unit, threshold, onthreshold),
    task.between === "round" ? make("p", { class: "soft" }, ROUNDED) : null,
  ];
}

const ROUNDED = t(
  "A value between two of these is counted as one of the two at random, the nearer one more often: averages stay right, shares are those of the values shown, and what a part of people say at most is interpolated.",
);

const spreadSentence = ({ deviation, deviation_low, deviation_high }, unit) => {
  const { value, between } = valueTexts({ value: deviation, low: deviation_low, high: deviation_high }, unit);
  return t("The standard deviation of the values is {value}, {between}.", { value, between });
};

const table = (columns, items, row) =>
  new Table({
    columns: [{ name: columns[0] }, { name: columns[1], number: true }],
    row,
    kind: "compact spread",
  }).show(items).element;

const valueTitle = (unit) => (unit ? t("Value ({unit})", { unit }) : t("Value"));

const inUnit = (text, unit) => (unit ? `${text} ${unit}` : text);

function sharesOf({ shares }, texts, unit) {
  const columns = [valueTitle(unit), t("Share of those who chose it")];
  return table(
    columns,
    shares.map((share, level) => ({ share, text: texts[level] })),
    ({ share, text }) => [text, levelShare(share)],
  );
}

const levelRange = (low, high) =>
  low === high ? t("only {low}", { low }) : t("{least} to {most}", { least: low, most: high });

// Where only levels are taken, so are quantiles, which need no more digits than the levels.
function quantiles({ quantiles: found }, task, texts) {
  const { unit } = task.about,
    exact = task.between === "refuse",
    level = (value) => texts[task.level_values.indexOf(value)];
  const row = (quantile) => {
    const { value, range } = exact
      ? { value: level(quantile.value), range: levelRange(level(quantile.low), level(quantile.high)) }
      : valueTexts(quantile);
    // One that may be anywhere on the scale is unknown.
    const isOpen = quantile.low <= task.low && quantile.high >= task.high;
    return [QUANTILES[quantile.p], ranged(isOpen ? UNKNOWN : value, range)];
  };
  return table([t("Of those who chose it"), unit ? t("say at most ({unit})", { unit }) : t("say at most")], found, row);
}

function thresholds({ above, below }, { texts, names }, unit, threshold, onthreshold) {
  const said = make("p", { "aria-live": "polite" });
  // No value is beyond either end.
  const show = (level) => {
    const value = inUnit(texts[level], unit),
      sides = [
        level < texts.length - 1 && [above[level], t("say more than {value}", { value })],
        level > 0 && [below[level], t("say less than {value}", { value })],
      ];
    const parts = sides.filter(Boolean).flatMap(([share, words], place) => {
      const { value: shown, range } = shareTexts(share);
      return [place ? t(", and ") : "", make("strong", {}, shown), ` (${range}) ${words}`];
    });
    replace(said, ...parts, ".");
  };
  const options = names.map((name, level) => [String(level), name]);
  const select = choice(options, String(threshold), (level) => {
    show(Number(level));
    onthreshold(Number(level));
  });
  show(threshold);
  return make("div", { class: "threshold" }, field(valueTitle(unit), select), said);
}
