// proofs/collision.md: a word is function·symbols + symbol.
import { Fraction, Sampling, expLower, must, readWord, spread, writeWord } from "../core.js";

const mix = (y) => {
  y = BigInt.asUintN(64, (y ^ (y >> 30n)) * 0xbf58476d1ce4e5b9n);
  y = BigInt.asUintN(64, (y ^ (y >> 27n)) * 0x94d049bb133111ebn);
  return y ^ (y >> 31n);
};

export class Channel extends Sampling {
  static options = ["symbols", "positions", "generator"];
  slots = 1;

  constructor(keys, padding, epsilon, { symbols, positions, generator }, bits = 64) {
    super(keys, padding, bits);
    must(Number.isInteger(symbols) && symbols > padding, "symbols");
    must(keys < 2 ** 29, "keys");
    const fewest = Math.max(3 * keys, 16 * symbols, 4096);
    must(Number.isInteger(positions) && positions >= fewest && positions < 2 ** 31, "positions");
    must(Number.isInteger(generator) && generator > 1 && generator < positions, "generator");
    this.symbols = BigInt(symbols);
    this.positions = BigInt(positions);
    this.squarings = [generator];
    for (let power = 2; power < positions; power *= 2) {
      this.squarings.push(Number(BigInt(this.squarings.at(-1)) ** 2n % this.positions));
    }
    // Powers that return to 1 after N - 1 steps and not before: N is prime, and g a primitive root.
    const order = positions - 1;
    must(this.power(order) === 1n, "positions must be prime");
    for (let part = 2; part * part <= order; part++) {
      const early = order % part === 0 && (this.power(part) === 1n || this.power(order / part) === 1n);
      must(!early, "generator must be a primitive root");
    }
    const pairs = this.positions * (this.positions - 1n);
    this.byIndex = keys > 2 ** 22 || pairs * this.symbols > 1n << 62n;
    this.functions = this.byIndex ? 1n << 32n : pairs;
    this.draws = 3 + (keys <= padding ? keys : 2 * padding);
    this.wordLimit = this.functions * this.symbols;
    const bound = expLower(epsilon), most = BigInt(padding);
    // Per symbol: rounded for each count of symbols, ratios would not be bounded.
    this.hit = bound.times(this.one).over(bound.times(most).plus(this.symbols - most)).floor;
    must(bits < 64 || this.hit * this.symbols >= this.one, "the padding is too large for epsilon");
    const missed = new Fraction(this.one - most * this.hit, this.symbols - most);
    this.realised = spread(new Fraction(this.hit), missed);
    const other = new Fraction(1, this.symbols), both = (plus) => plus.times(other);
    const apart = (plus) => [plus.minus(both(plus)), other.minus(both(plus)), both(plus)];
    this.sampled = apart(this.chance(this.hit));
    this.unsampled = apart(other);
  }

  perturb(pairs, tape, coin) {
    const chosen = [...pairs], all = pairs.length;
    for (let place = 0; all > this.padding && place < this.padding; place++) {
      const other = place + Number(tape.below(BigInt(all - place)));
      [chosen[place], chosen[other]] = [chosen[other], chosen[place]];
    }
    const signed = chosen.slice(0, this.padding).map(([key, level]) => [key, tape.bernoulli(level)]);
    const { drawn = tape.below(this.functions) } = coin, symbols = signed.map((pair) => this.symbol(drawn, ...pair));
    const own = [...new Set(symbols)].sort((x, y) => (x < y ? -1 : 1));
    const number = tape.draw(), count = BigInt(own.length);
    if (number < count * this.hit) return writeWord(drawn * this.symbols + own[number / this.hit]);
    // Skip their own.
    let symbol = tape.below(this.symbols - count);
    for (const taken of own) if (taken <= symbol) symbol++;
    return writeWord(drawn * this.symbols + symbol);
  }

  // g^exponent, in the same steps whatever the exponent.
  power(exponent) {
    const factor = (square, place) => BigInt(1 + ((exponent >> place) & 1) * (square - 1));
    return this.squarings.reduce((x, square, place) => (x * factor(square, place)) % this.positions, 1n);
  }

  // A - 1 and C.
  numbers(drawn) {
    if (!this.byIndex) return [drawn / this.positions, drawn % this.positions];
    const first = mix(drawn + 0x9e3779b97f4a7c15n), second = mix(first ^ 0xffffffffn);
    return [(first * (this.positions - 1n)) >> 64n, (second * this.positions) >> 64n];
  }

  symbol(drawn, key, positive) {
    const [less, offset] = this.numbers(drawn), position = this.power(2 * key + Number(positive));
    return (((less + 1n) * position + offset) % this.positions) % this.symbols;
  }

  says(body, key) {
    const word = readWord(body), drawn = word / this.symbols, symbol = word % this.symbols;
    return { plus: this.symbol(drawn, key, true) === symbol, minus: this.symbol(drawn, key, false) === symbol };
  }
}
