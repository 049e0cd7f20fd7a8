// proofs/collision.md: a word is function·symbols + symbol.
import { Fraction, Sampling, expLower, isWithin, must, readWord, spread, writeWord } from "../core.js";

const mix = (y) => {
  y = BigInt.asUintN(64, (y ^ (y >> 30n)) * 0xbf58476d1ce4e5b9n);
  y = BigInt.asUintN(64, (y ^ (y >> 27n)) * 0x94d049bb133111ebn);
  return y ^ (y >> 31n);
};

export class Channel extends Sampling {
  static options = ["symbols", "positions", "generator"];

  constructor(keys, padding, epsilon, { symbols, positions, generator }, levels) {
    super(keys, padding, levels);
    const items = levels * keys, fewest = Math.max(1.5 * items, 16 * symbols, 4096);
    must(isWithin(symbols, padding + 1, 2 ** 31), "symbols");
    must(items < 2 ** 30 - 1, "keys");
    must(isWithin(positions, fewest, 2 ** 31), "positions");
    must(isWithin(generator, 2, positions), "generator");
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
    this.byIndex = items > 2 ** 23 || pairs * this.symbols > 1n << 62n;
    this.functions = this.byIndex ? 1n << 32n : pairs;
    this.draws = 3 + (keys <= padding ? keys : 2 * padding);
    this.wordLimit = this.functions * this.symbols;
    const bound = expLower(epsilon), most = BigInt(padding);
    // Per symbol: rounded for each count of symbols, ratios would not be bounded.
    this.hit = bound.times(this.one).over(bound.times(most).plus(this.symbols - most)).floor;
    must(this.hit * this.symbols >= this.one, "the padding is too large for epsilon");
    this.realised = spread(new Fraction(this.hit), new Fraction(this.one - most * this.hit, this.symbols - most));
    // Levels stand at positions of their own.
    const any = (own) => 1 - (1 - own) * (1 - 1 / symbols) ** (levels - 1);
    this.claims(any(this.chance(this.hit).number), any(1 / symbols), 1);
  }

  perturb(pairs, tape, coin) {
    const chosen = [...pairs], all = pairs.length;
    for (let place = 0; all > this.padding && place < this.padding; place++) {
      const other = place + Number(tape.below(BigInt(all - place)));
      [chosen[place], chosen[other]] = [chosen[other], chosen[place]];
    }
    const held = chosen.slice(0, this.padding).map((pair) => this.placed(pair, tape));
    const { drawn = tape.below(this.functions) } = coin, symbols = held.map((pair) => this.symbol(drawn, ...pair));
    const own = [...new Set(symbols)].sort((x, y) => (x < y ? -1 : 1));
    const number = tape.draw(), count = BigInt(own.length);
    if (number < count * this.hit) return writeWord(drawn * this.symbols + own[number / this.hit]);
    // Skip their own.
    let symbol = tape.below(this.symbols - count);
    for (const taken of own) if (taken <= symbol) symbol++;
    return writeWord(drawn * this.symbols + symbol);
  }

  placed([key, lower, threshold], tape) {
    return [key, lower + tape.bernoulli(threshold)];
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

  symbol(drawn, key, level) {
    const [less, offset] = this.numbers(drawn), position = this.power(this.levels * key + level);
    return (((less + 1n) * position + offset) % this.positions) % this.symbols;
  }

  supports(body, key, level) {
    const word = readWord(body);
    return this.symbol(word / this.symbols, key, level) === word % this.symbols;
  }
}
