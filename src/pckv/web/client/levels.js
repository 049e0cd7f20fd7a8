// The values of a task's levels, and the levels that a value lies between.
import { checkTask } from "./errors.js";
import { isWithin } from "./formats.js";
import { isDecimal, parseDecimal } from "./fraction.js";

// Levels are named by their values, or equally spaced. Keys without values have one, and nothing else of values.
export function levelValuesOf({ low, high, levels, between }) {
  if (low === null) {
    checkTask(high === null && levels === 1 && between === null, "keys without values have one level");
    // What a key without a value counts for.
    return [1];
  }
  checkTask(high !== null && Number(low) < Number(high), "low");
  checkTask(between !== null, "between");
  const isNamed = Array.isArray(levels);
  const count = isNamed ? levels.length : levels;
  checkTask(isWithin(count, 2, 17), "levels must be a number from 2 to 16, or that many values");
  const values = isNamed ? namedValues(levels, low, high) : spacedValues(low, high, count);
  const ascends = values.every((value, level) => level === 0 || values[level - 1] < value);
  checkTask(ascends, "levels must ascend");
  return values;
}

function namedValues(levels, low, high) {
  const areSound = levels.every(isDecimal) && levels[0] === low && levels.at(-1) === high;
  checkTask(areSound, "levels must be decimals from low to high");
  return levels.map(Number);
}

const MORE_DECIMALS = 30;

// Exact values are cut after 30 more decimals than the ends have; the result is the nearest double of that.
function spacedValues(lowText, highText, count) {
  const low = parseDecimal(lowText);
  const high = parseDecimal(highText);
  const denominator = low.denominator > high.denominator ? low.denominator : high.denominator;
  const scale = 10n ** BigInt(MORE_DECIMALS) * denominator;
  const decimals = String(scale).length - 1;
  const first = low.times(scale).floor;
  const step = high
    .minus(low)
    .times(scale)
    .over(count - 1);
  const valueAt = (level) => Number(`${first + step.times(level).floor}e-${decimals}`);
  return [...Array(count).keys()].map(valueAt);
}

// The level below a value, and the threshold of a draw for the level above it.
// Doubles suffice, because ε holds whatever the level is.
export function neighboursOf(value, levelValues) {
  if (levelValues.length === 1) return { lower: 0 };
  const lower = levelValues.slice(1, -1).filter((level) => level <= value).length;
  const low = levelValues[lower];
  const high = levelValues[lower + 1];
  // 53 bits of the share, as the first bits of a draw's 64.
  const threshold = BigInt(Math.floor(((value - low) / (high - low)) * 2 ** 53)) << 11n;
  return { lower, threshold };
}
