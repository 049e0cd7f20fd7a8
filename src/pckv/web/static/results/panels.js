// What the first chart of a task draws: shares of people as bars, and values beside them where people gave some.
import { t } from "../shared/language.js";
import { frequencyTexts, frequencyWords, meanTexts, meanTitle, UNKNOWN } from "../shared/ranges.js";
import { hasValues } from "../shared/task-words.js";
import { shareScale, valueScale } from "./bars.js";

export const ROWS_DRAWN = 20;

const shareRow = (row) => ({
  name: row.key,
  value: row.frequency,
  low: row.detected ? row.frequency_low : 0,
  high: row.frequency_high,
  known: row.detected,
  shown: row.detected ? frequencyTexts(row).value : t("not clear"),
  words: frequencyWords(row),
});

function valueRow(row, unit) {
  const { value, range } = meanTexts(row, unit),
    known = row.mean_known;
  return {
    name: row.key,
    value: row.mean,
    low: known ? row.mean_low : 0,
    high: known ? row.mean_high : 0,
    known,
    shown: known ? meanTexts(row).value : UNKNOWN,
    words: known ? `${value} (${range})` : UNKNOWN,
  };
}

// Panels side by side, each with all rows in the same order: those that stand out first, by their shares.
export function panelsOf(estimates, task) {
  const drawn = [...estimates]
      .sort((one, other) => other.detected - one.detected || other.frequency - one.frequency)
      .slice(0, ROWS_DRAWN),
    shares = drawn.map(shareRow),
    title = meanTitle(task);
  const panels = [
    {
      title: title && t("Chosen by"),
      rows: shares,
      scale: shareScale(shares),
      label: t("Chosen by, as bars with ranges"),
    },
  ];
  if (!hasValues(task)) return panels;
  const rows = drawn.map((row) => valueRow(row, task.about.unit));
  return [
    ...panels,
    {
      title,
      rows,
      scale: valueScale(task),
      label: t("{title}, with ranges", { title }),
      isBar: false,
    },
  ];
}
