// Estimates in words: numbers with their ranges, and what is said of keys that nothing is known of.

// What is said of a key whose count noise alone may give, and of a mean that may be anywhere in its range.
export const TOO_RARE = "too rare to tell",
  UNKNOWN = "unknown";

// A range shows two digits of its width: more would be noise.
function digits(low, high) {
  const width = high - low;
  return width > 0 ? Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(width)))) : 3;
}

const rounded = (number, decimals) =>
  number.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });

function withRange(value, low, high, unit) {
  const decimals = digits(low, high);
  return {
    value: `${rounded(value, decimals)}${unit}`,
    low: `${rounded(low, decimals)}${unit}`,
    high: `${rounded(high, decimals)}${unit}`,
    range: `${rounded(low, decimals)} – ${rounded(high, decimals)}${unit}`,
    most: `at most ${rounded(high, decimals)}${unit}`,
  };
}

// Texts of the value, its ends and its range: "63 %", "57 %", "71 %", "57 – 71 %", "at most 71 %".
export const frequencyTexts = ({ frequency, frequency_low, frequency_high }) =>
  withRange(100 * frequency, 100 * frequency_low, 100 * frequency_high, " %");

export const meanTexts = ({ mean, mean_low, mean_high }, unit = "") =>
  withRange(mean, mean_low, mean_high, unit ? ` ${unit}` : "");
