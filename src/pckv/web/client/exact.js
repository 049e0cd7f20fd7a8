// Refusals, exact fractions and e^ε: integers alone, so that the bits are those of the Python side.

export class PckvError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "PckvError";
    this.code = code;
  }
}

export function check(holds, code, message) {
  if (!holds) throw new PckvError(code, message);
}

export const must = (holds, what) => check(holds, "bad_task", `not a task: ${what}`);

// Fractions are never reduced: a threshold takes few steps.
export class Fraction {
  constructor(n, d = 1n) {
    this.n = BigInt(n);
    this.d = d;
  }

  plus(x) {
    const { n, d } = fraction(x);
    return new Fraction(this.n * d + n * this.d, this.d * d);
  }

  times(x) {
    const { n, d } = fraction(x);
    return new Fraction(this.n * n, this.d * d);
  }

  over(x) {
    const { n, d } = fraction(x);
    return new Fraction(this.n * d, this.d * n);
  }

  below(x) {
    const { n, d } = fraction(x);
    return this.n * d < n * this.d;
  }

  get floor() {
    return this.n / this.d;
  }

  get ceil() {
    return (this.n + this.d - 1n) / this.d;
  }

  // For people to read.
  get number() {
    return Number((this.n << 99n) / this.d) / 2 ** 99;
  }
}

export const fraction = (x) => (x instanceof Fraction ? x : new Fraction(x));

export function decimal(text) {
  const [whole, places = ""] = text.split(".");
  return new Fraction(whole + places, 10n ** BigInt(places.length));
}

// A lower bound: halve to at most 1, sum 70 terms, floor to 256 bits, square back, flooring each time.
export function expLower({ n, d }) {
  let halvings = 0, top = 1n, bottom = 1n;
  for (; n > d; halvings++) d *= 2n;
  for (let term = 69n; term; term--) {
    bottom *= term * d;
    top = bottom + n * top;
  }
  let bound = (top << 256n) / bottom;
  while (halvings--) bound = (bound * bound) >> 256n;
  return new Fraction(bound, 1n << 256n);
}

// ε is counted in units of 10^-15, rounded up; the cap is rounded down.
const UNIT = 10n ** 15n;

export function units(text) {
  const [whole, places = ""] = text.split(".");
  return BigInt(whole + places.slice(0, 15).padEnd(15, "0"));
}

export function unitsText(count) {
  return `${count / UNIT}.${String(UNIT + count % UNIT).slice(1)}`.replace(/\.?0*$/, "");
}

export function epsilonUnits(ratio) {
  let low = 0n, high = 32n * UNIT;
  while (low < high) {
    const middle = (low + high) / 2n;
    if (expLower(new Fraction(middle, UNIT)).below(ratio)) low = middle + 1n;
    else high = middle;
  }
  return low;
}

// As a double whose decimal text is not below; the step is nearest to the next double.
export function epsilonNumber(count) {
  const shown = Number(unitsText(count));
  return shown > 1 && units(String(shown)) < count ? shown + shown * 1.5e-16 : shown;
}
