// proofs/collision.md: a word is function·symbols + symbol.
import { Fraction, Sampling, expLower, must, readWord, spread, writeWord } from "../core.js";

const mix = (y) => {
  y = BigInt.asUintN(64, (y ^ (y >> 30n)) * 0xbf58476d1ce4e5b9n);
  y = BigInt.asUintN(64, (y ^ (y >> 27n)) * 0x94d049bb133111ebn);
  return y ^ (y >> 31n);
};

export class Channel extends Sampling {
  static options = ["symbols"];
  slots = 1;
  functions = 1n << 32n;

  constructor(keys, padding, epsilon, { symbols }, bits = 64) {
    super(keys, padding, bits);
    must(Number.isInteger(symbols) && symbols > padding && symbols < 2 ** 31, "symbols");
    this.symbols = BigInt(symbols);
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

  perturb(pairs, tape) {
    const chosen = [...pairs], all = pairs.length;
    for (let place = 0; all > this.padding && place < this.padding; place++) {
      const other = place + Number(tape.below(BigInt(all - place)));
      [chosen[place], chosen[other]] = [chosen[other], chosen[place]];
    }
    const signed = chosen.slice(0, this.padding).map(([key, level]) => [key, tape.bernoulli(level)]);
    const drawn = tape.below(this.functions), symbols = signed.map((pair) => this.symbol(drawn, ...pair));
    const own = [...new Set(symbols)].sort((x, y) => (x < y ? -1 : 1));
    const number = tape.draw(), count = BigInt(own.length);
    if (number < count * this.hit) return writeWord(drawn * this.symbols + own[number / this.hit]);
    // Skip their own.
    let symbol = tape.below(this.symbols - count);
    for (const taken of own) if (taken <= symbol) symbol++;
    return writeWord(drawn * this.symbols + symbol);
  }

  symbol(drawn, key, positive) {
    const item = 2n * BigInt(key) + BigInt(positive);
    return (mix(mix(drawn + 0x9e3779b97f4a7c15n) ^ item) * this.symbols) >> 64n;
  }

  says(body, key) {
    const word = readWord(body), drawn = word / this.symbols, symbol = word % this.symbols;
    return { plus: this.symbol(drawn, key, true) === symbol, minus: this.symbol(drawn, key, false) === symbol };
  }
}
