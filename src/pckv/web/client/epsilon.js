// Bounds of e^ε, and the units in which ε is spent.
import { Fraction, parseDecimal } from "./fraction.js";

const SERIES_BITS = 256n;
const SERIES_TERMS = 70n;

// A lower bound of e^ε: halve ε until it is at most 1, sum the first terms of the series, cut to 256 bits,
// and square as often as ε was halved, cutting each time.
export function expLower({ numerator, denominator }) {
  let halvings = 0;
  while (numerator > denominator) {
    denominator *= 2n;
    halvings++;
  }
  // Horner's rule: 1 + ε/1·(1 + ε/2·(1 + …)), from the last term on.
  let top = 1n;
  let bottom = 1n;
  for (let term = SERIES_TERMS - 1n; term > 0n; term--) {
    bottom *= term * denominator;
    top = bottom + numerator * top;
  }
  let bound = (top << SERIES_BITS) / bottom;
  for (let squaring = 0; squaring < halvings; squaring++) bound = (bound * bound) >> SERIES_BITS;
  return new Fraction(bound, 1n << SERIES_BITS);
}

const POWER_BITS = 1024n;
const POWER_SQUARINGS = 256n;

// A lower bound by other steps, (1 + ε/2^256)^(2^256): a fault in one of the two bounds shows in the other.
export function powerLower({ numerator, denominator }) {
  let bound = (1n << POWER_BITS) + (numerator << (POWER_BITS - POWER_SQUARINGS)) / denominator;
  for (let squaring = 0n; squaring < POWER_SQUARINGS; squaring++) bound = (bound * bound) >> POWER_BITS;
  return new Fraction(bound, 1n << POWER_BITS);
}

// What a report spends is rounded up to whole units, a cap is rounded down.
const UNITS_PER_ONE = 10n ** 15n;
// Tasks ask for at most ε = 20.
const MAX_UNITS = 32n * UNITS_PER_ONE;

export function unitsOf(text) {
  return parseDecimal(text).times(UNITS_PER_ONE).floor;
}

export function unitsAbove(text) {
  return parseDecimal(text).times(UNITS_PER_ONE).ceil;
}

export function unitsToText(units) {
  const places = String(UNITS_PER_ONE + (units % UNITS_PER_ONE)).slice(1);
  return `${units / UNITS_PER_ONE}.${places}`.replace(/\.?0*$/, "");
}

// The fewest units of ε whose bound of e^ε reaches a ratio of probabilities.
export function unitsOfRatio(ratio) {
  let low = 0n;
  let high = MAX_UNITS;
  while (low < high) {
    const middle = (low + high) / 2n;
    if (expLower(new Fraction(middle, UNITS_PER_ONE)).below(ratio)) low = middle + 1n;
    else high = middle;
  }
  return low;
}

// The nearest double, or the next one where that is below the units: what is printed is rounded up too.
export function unitsToNumber(units) {
  const nearest = Number(unitsToText(units));
  const isBelow = nearest > 1 && unitsOf(String(nearest)) < units;
  return isBelow ? nearest + nearest * 1.5e-16 : nearest;
}
