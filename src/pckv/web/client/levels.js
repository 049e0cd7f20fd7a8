// The values of more levels than the two ends of a range: named, or equally spaced.
import { decimal, isDecimal, isWithin, must } from "./core.js";

export function valuesOf({ low, high, levels }) {
  const named = Array.isArray(levels), count = named ? levels.length : levels;
  must(isWithin(count, 2, 17), "levels must be a number from 2 to 16, or that many values");
  const texts = !named || (levels.every(isDecimal) && levels[0] === low && levels[count - 1] === high);
  must(texts, "levels must be decimals from low to high");
  const values = named ? levels.map(Number) : spaced(decimal(low), decimal(high), count);
  must(!values.some((value, level) => value >= values[level + 1]), "levels must ascend");
  return values;
}

// Cut after 30 more decimals than the ends have, and then the nearest doubles.
function spaced(low, high, count) {
  const one = 10n ** 30n * (low.d > high.d ? low.d : high.d), first = low.times(one).floor;
  const step = high.minus(low).times(one).over(count - 1);
  const value = (_, level) => Number(`${first + step.times(level).floor}e${1 - String(one).length}`);
  return Array.from({ length: count }, value);
}
