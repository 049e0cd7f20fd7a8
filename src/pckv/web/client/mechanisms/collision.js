// proofs/collision.md: a word is function·symbols + symbol.
import { readWord, writeWord } from "../bytes.js";
import { expLower } from "../epsilon.js";
import { checkTask } from "../errors.js";
import { isWithin } from "../formats.js";
import { Fraction } from "../fraction.js";
import { MechanismBase, widestRatio } from "./base.js";

// Beyond these, a function is an index of 32 bits from which its two numbers are mixed.
const MAX_ITEMS_OF_PAIRS = 2 ** 23;
const MAX_WORDS_OF_PAIRS = 1n << 62n;

// The last steps of SplitMix64.
function mixed(state) {
  const once = BigInt.asUintN(64, (state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
  const twice = BigInt.asUintN(64, (once ^ (once >> 27n)) * 0x94d049bb133111ebn);
  return twice ^ (twice >> 31n);
}

export class Mechanism extends MechanismBase {
  static options = ["symbols", "positions", "generator"];
  static maxLevelsOfItems = 16;

  constructor(keys, padding, epsilon, { symbols, positions, generator }, levels) {
    super(keys, padding, levels);
    const items = levels * keys;
    const fewest = Math.max(1.5 * items, 16 * symbols, 4096);
    checkTask(isWithin(symbols, padding + 1, 2 ** 31), "symbols");
    checkTask(items < 2 ** 30 - 1, "keys");
    checkTask(isWithin(positions, fewest, 2 ** 31), "positions");
    checkTask(isWithin(generator, 2, positions), "generator");
    this.symbols = BigInt(symbols);
    this.positions = BigInt(positions);
    this.squarings = this.squaringsOf(generator);
    this.checkGenerator(positions - 1);
    const pairs = this.positions * (this.positions - 1n);
    this.byIndex = items > MAX_ITEMS_OF_PAIRS || pairs * this.symbols > MAX_WORDS_OF_PAIRS;
    this.functions = this.byIndex ? 1n << 32n : pairs;
    this.wordLimit = this.functions * this.symbols;
    this.draws = 3 + (keys > padding ? padding : 0) + (levels > 1 ? Math.min(keys, padding) : 0);
    this.setThreshold(expLower(epsilon), BigInt(padding));
    this.setKeyOdds(levels);
  }

  // Each level of a key has its own position.
  setKeyOdds(levels) {
    const other = 1 / Number(this.symbols);
    const anyLevel = (own) => 1 - (1 - own) * (1 - other) ** (levels - 1);
    this.setOdds(anyLevel(this.chance(this.hit).number), anyLevel(other), 1);
  }

  // g, g², g⁴ and so on, modulo the positions.
  squaringsOf(generator) {
    const squarings = [generator];
    for (let power = 2n; power < this.positions; power *= 2n) {
      squarings.push(Number(BigInt(squarings.at(-1)) ** 2n % this.positions));
    }
    return squarings;
  }

  // Powers that return to 1 after N - 1 steps and not before: N is prime, and g a primitive root.
  checkGenerator(order) {
    checkTask(this.power(order) === 1n, "positions must be prime");
    for (let part = 2; part * part <= order; part++) {
      const returnsEarly = order % part === 0 && (this.power(part) === 1n || this.power(order / part) === 1n);
      checkTask(!returnsEarly, "generator must be a primitive root");
    }
  }

  // Per symbol: rounded for each count of own symbols, ratios would not be bounded.
  setThreshold(bound, most) {
    this.hit = bound.times(this.one).over(bound.times(most).plus(this.symbols - most)).floor;
    checkTask(this.hit * this.symbols >= this.one, "the padding is too large for epsilon");
    const missed = new Fraction(this.one - most * this.hit, this.symbols - most);
    this.realised = widestRatio(new Fraction(this.hit), missed);
  }

  perturb(pairs, tape, coin) {
    const held = this.chosen(pairs, tape).map((pair) => this.placed(pair, tape));
    const { drawn = tape.below(this.functions) } = coin;
    const symbols = held.map(({ key, level }) => this.symbol(drawn, key, level));
    const own = [...new Set(symbols)].sort((first, second) => (first < second ? -1 : 1));
    const symbol = this.drawSymbol(own, tape);
    return writeWord(drawn * this.symbols + symbol);
  }

  placed(pair, tape) {
    return { key: pair.key, level: this.levelOf(pair, tape) };
  }

  // Each own symbol has the chance of a hit; all others share the rest.
  drawSymbol(own, tape) {
    const number = tape.draw();
    const count = BigInt(own.length);
    if (number < count * this.hit) return own[number / this.hit];
    // Skip the own symbols, which ascend.
    let symbol = tape.below(this.symbols - count);
    for (const taken of own) {
      if (taken <= symbol) symbol++;
    }
    return symbol;
  }

  // g^exponent, in the same steps whatever the exponent: a bit of it multiplies by its square, or by 1.
  power(exponent) {
    const factor = (square, place) => BigInt(1 + ((exponent >> place) & 1) * (square - 1));
    return this.squarings.reduce((product, square, place) => (product * factor(square, place)) % this.positions, 1n);
  }

  // A - 1 and C of the function (A·position + C) mod N.
  numbers(drawn) {
    if (!this.byIndex) return [drawn / this.positions, drawn % this.positions];
    const first = mixed(drawn + 0x9e3779b97f4a7c15n);
    const second = mixed(first ^ 0xffffffffn);
    return [(first * (this.positions - 1n)) >> 64n, (second * this.positions) >> 64n];
  }

  symbol(drawn, key, level) {
    return this.itemSymbol(drawn, this.levels * key + level);
  }

  itemSymbol(drawn, item) {
    const [less, offset] = this.numbers(drawn);
    const position = this.power(item);
    return (((less + 1n) * position + offset) % this.positions) % this.symbols;
  }

  supports(body, key, level) {
    const word = readWord(body);
    return this.symbol(word / this.symbols, key, level) === word % this.symbols;
  }
}
