// Estimates in words: numbers with their ranges, and what is said of keys that nothing is known of.
import { hasValues } from "./task-words.js";

// What is said of a key whose count noise alone may give, and of a mean that may be anywhere in its range.
export const TOO_RARE = "too rare to tell",
  UNKNOWN = "unknown",
  // Behind the name of the key that stands for these.
  UNLISTED = "all unlisted keys";

// A range shows two digits of its width: more would be noise.
function digits(low, high) {
  const width = high - low;
  return width > 0 ? Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(width)))) : 3;
}

// A format takes long to make, and a page shows thousands of numbers in few formats.
const formats = new Map();

function formatOf(decimals, signDisplay) {
  const name = `${decimals} ${signDisplay}`;
  if (!formats.has(name)) {
    formats.set(
      name,
      new Intl.NumberFormat("en", {
        minimumFractionDigits: decimals,
        maximumFractionDigits: decimals,
        signDisplay,
      }),
    );
  }
  return formats.get(name);
}

function withRange(value, low, high, unit, signDisplay = "auto") {
  const format = formatOf(digits(low, high), signDisplay),
    rounded = (number) => format.format(number);
  return {
    value: `${rounded(value)}${unit}`,
    low: `${rounded(low)}${unit}`,
    high: `${rounded(high)}${unit}`,
    range: `${rounded(low)} – ${rounded(high)}${unit}`,
    most: `at most ${rounded(high)}${unit}`,
  };
}

// Texts of the value, its ends and its range: "63 %", "57 %", "71 %", "57 – 71 %", "at most 71 %".
export const frequencyTexts = ({ frequency, frequency_low, frequency_high }) =>
  withRange(100 * frequency, 100 * frequency_low, 100 * frequency_high, " %");

// How a column of means is named; null where keys have no values.
export const meanTitle = (task, title = "Mean") => {
  if (!hasValues(task)) return null;
  return task.about.unit ? `${title}, in ${task.about.unit}` : title;
};

export const meanTexts = ({ mean, mean_low, mean_high }, unit = "") =>
  withRange(mean, mean_low, mean_high, unit ? ` ${unit}` : "");

// The mean of the reported pairs, where larger sets may hide other values.
export const reportedMeanTexts = ({ mean, reported_mean_low, reported_mean_high }, unit = "") =>
  withRange(mean, reported_mean_low, reported_mean_high, unit ? ` ${unit}` : "");

// A difference of shares has a sign: "+12 points", "+8 – +16 points".
export const changeTexts = ({ change, change_low, change_high }) =>
  withRange(100 * change, 100 * change_low, 100 * change_high, " points", "exceptZero");

// The difference of a share between two groups, of which the first has the larger one.
export const differenceTexts = ({ difference, difference_low, difference_high }) =>
  changeTexts({ change: difference, change_low: difference_low, change_high: difference_high });

// The share of a level among those who hold a key, or of levels above or below a value.
export const shareTexts = ({ share, low, high }) => withRange(100 * share, 100 * low, 100 * high, " %");

// A number in the unit of the values, such as a median.
export const valueTexts = ({ value, low, high }, unit = "") => withRange(value, low, high, unit ? ` ${unit}` : "");

const MAX_LETTERS = 8;

// What levels are worth. Equally spaced ones may have endless decimals, of which few tell them apart.
export function levelTexts(values) {
  const gap = Math.min(...values.slice(1).map((value, place) => value - values[place])),
    decimals = Math.min(15, Math.max(0, 2 - Math.floor(Math.log10(gap)))),
    format = new Intl.NumberFormat("en", { maximumFractionDigits: 15 });
  return values.map((value) =>
    format.format(String(value).length <= MAX_LETTERS ? value : Number(value.toFixed(decimals))),
  );
}
