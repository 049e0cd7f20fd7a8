// Estimates in words: numbers with their ranges, and what is said of keys that nothing is known of.
import { shownText } from "./direction.js";
import { language, t } from "./language.js";
import { count, signed } from "./page.js";
import { hasValues } from "./task-words.js";

// What is said of a key whose count noise alone may give, and of a mean that may be anywhere in its range.
export const TOO_RARE = t("not distinguishable from noise");
export const UNKNOWN = t("unknown");
// Behind the name of the key that stands for these.
export const UNLISTED = t("all other answers");

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
      new Intl.NumberFormat(language, {
        minimumFractionDigits: decimals,
        maximumFractionDigits: decimals,
        signDisplay,
      }),
    );
  }
  return formats.get(name);
}

const written = (format, number) => signed(format.format(number));

// `unit` stands behind a number: a text, or what makes it from the number as it is written.
function withRange(value, low, high, unit, signDisplay = "auto") {
  const format = formatOf(digits(low, high), signDisplay),
    behind = typeof unit === "function" ? unit : () => shownText(unit),
    // A word stands in another case after "between" in some languages: it is left out there.
    isName = typeof unit === "string" && /\p{L}/u.test(unit),
    rounded = (number) => written(format, number),
    alone = (text) => `${text}${behind(text)}`,
    between = (least, most) => alone(t("{least} to {most}", { least, most }));
  return {
    value: alone(rounded(value)),
    low: alone(rounded(low)),
    high: alone(rounded(high)),
    range: between(rounded(low), rounded(high)),
    // From none on, for what noise alone may give.
    most: between(written(formatOf(0, "auto"), 0), rounded(high)),
    between: t("between {least} and {most}", {
      least: rounded(low),
      most: isName ? rounded(high) : alone(rounded(high)),
    }),
  };
}

// Texts of the value, its ends and its range: "63 %", "57 %", "71 %", "57 to 71 %", "0 to 71 %".
export const frequencyTexts = ({ frequency, frequency_low, frequency_high }) =>
  withRange(100 * frequency, 100 * frequency_low, 100 * frequency_high, " %");

// What is said of a share in one line, also where noise alone may give it or nothing is known.
export function frequencyWords(row) {
  const { value, range, most } = frequencyTexts(row);
  // Of one that noise alone may give, zero is not ruled out.
  if (row.detected) return `${value} (${range})`;
  return `${row.frequency_high < 1 ? TOO_RARE : UNKNOWN} (${most})`;
}

// How a column of means is named; null where keys have no values.
export const meanTitle = (task) => {
  if (!hasValues(task)) return null;
  return task.about.unit ? t("Average rating ({unit})", { unit: task.about.unit }) : t("Average rating");
};

export const meanTexts = ({ mean, mean_low, mean_high }, unit = "") =>
  withRange(mean, mean_low, mean_high, unit ? ` ${unit}` : "");

// The mean of the reported pairs, where larger sets may hide other values.
export const reportedMeanTexts = ({ mean, reported_mean_low, reported_mean_high }, unit = "") =>
  withRange(mean, reported_mean_low, reported_mean_high, unit ? ` ${unit}` : "");

const inPoints = (text) => (/^[+−]?1$/.test(text) ? t(" point") : t(" points"));

// A difference of shares has a sign: "+1 point", "−25 to −2 points".
export const changeTexts = ({ change, change_low, change_high }) =>
  withRange(100 * change, 100 * change_low, 100 * change_high, inPoints, "exceptZero");

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
    format = new Intl.NumberFormat(language, { maximumFractionDigits: 15 });
  return values.map((value) =>
    written(format, String(value).length <= MAX_LETTERS ? value : Number(value.toFixed(decimals))),
  );
}

// What levels are called: the ends of the scale and its middle with what they mean, where that was said: "1 (mild)", "2",
// "3 (severe)". An even number of levels has none in the middle.
export function levelNames(values, { low_label: lowest, middle_label: middle, high_label: highest }) {
  const last = values.length - 1,
    meanings = new Map([
      [last / 2, middle],
      [0, lowest],
      [last, highest],
    ]);
  return levelTexts(values).map((text, place) => endText(text, meanings.get(place)));
}

// An end of a scale, or its middle, with what it means.
export const endText = (text, label) => (label ? `${text} (${shownText(label)})` : text);

// The scale of a task whose ends have names: "1 (mild)" and "3 (severe)"; null where they have none.
export function scaleEnds({ low, high, about }) {
  const { low_label: lowest, high_label: highest } = about;
  return lowest || highest ? { first: endText(count(low), lowest), last: endText(count(high), highest) } : null;
}
