// Exact numbers: fractions of BigInts, and the decimals of tasks.

// Fractions are never reduced, because a task takes few steps. Denominators are positive.
export class Fraction {
  constructor(numerator, denominator = 1n) {
    this.numerator = BigInt(numerator);
    this.denominator = denominator;
  }

  plus(other) {
    const { numerator, denominator } = fractionOf(other);
    return new Fraction(this.numerator * denominator + numerator * this.denominator, this.denominator * denominator);
  }

  minus(other) {
    return this.plus(fractionOf(other).times(-1));
  }

  times(other) {
    const { numerator, denominator } = fractionOf(other);
    return new Fraction(this.numerator * numerator, this.denominator * denominator);
  }

  // The divisor must be positive.
  over(divisor) {
    const { numerator, denominator } = fractionOf(divisor);
    return new Fraction(this.numerator * denominator, this.denominator * numerator);
  }

  below(other) {
    return this.minus(other).numerator < 0;
  }

  // BigInts round towards 0: `floor` and `ceil` are for fractions from 0 on, or whole numbers.
  get floor() {
    return this.numerator / this.denominator;
  }

  get ceil() {
    return (this.numerator + this.denominator - 1n) / this.denominator;
  }

  get number() {
    return Number(this.numerator) / Number(this.denominator);
  }
}

function fractionOf(number) {
  return number instanceof Fraction ? number : new Fraction(number);
}

// No sign of 0, no leading zeros, no trailing zeros: a number has one text.
const DECIMAL = /^(?!-0$)-?(0|[1-9]\d*)(\.\d*[1-9])?$/;
const MAX_DECIMAL_LENGTH = 40;

export function isDecimal(text) {
  return typeof text === "string" && text.length <= MAX_DECIMAL_LENGTH && DECIMAL.test(text);
}

export function parseDecimal(text) {
  const [whole, places = ""] = text.split(".");
  return new Fraction(whole + places, 10n ** BigInt(places.length));
}

export function isDecimalBetween(text, low, high) {
  if (!isDecimal(text)) return false;
  const number = parseDecimal(text);
  return !number.below(parseDecimal(low)) && !parseDecimal(high).below(number);
}
