// proofs/ue-compact.md: a word is φ·q + φ0, and all dummies are key number d.
import { readWord, writeWord } from "../bytes.js";
import { expLower } from "../epsilon.js";
import { checkTask } from "../errors.js";
import { isWithin } from "../formats.js";
import { MechanismBase, widestRatio } from "./base.js";

function isPrime(number) {
  for (let factor = 2; factor * factor <= number; factor++) {
    if (number % factor === 0) return false;
  }
  return true;
}

export class Mechanism extends MechanismBase {
  static options = ["q", "r", "o"];

  constructor(keys, padding, epsilon, parameters, levels) {
    super(keys, padding, levels);
    this.setResidues(parameters);
    this.functions = this.q;
    while (this.functions <= keys) this.functions *= this.q;
    this.wordLimit = this.functions * this.q;
    checkTask(this.wordLimit < 1n << 63n, "q needs words of more than 63 bits");
    const inside = expLower(epsilon).times(this.r);
    const others = this.q - this.r;
    this.kept = inside.times(this.one).over(inside.plus(others)).floor;
    const outside = this.chance(this.one - this.kept, others);
    this.realised = widestRatio(this.chance(this.kept, this.r), outside);
    // How many residues say any level of a key.
    const named = this.firstOf(0) + this.r;
    const sampled = this.chance(this.kept).plus(outside.times(named - this.r));
    this.setOdds(sampled.number, Number(named) / Number(this.q));
  }

  // Of q residues, r say a level, and neighbouring levels share o. The defaults r = 1 and o = 0 are left out
  // of tasks.
  setResidues({ q, r, o }) {
    checkTask(isWithin(q, 3, 2 ** 31.5) && isPrime(q), "q must be a prime from 3 on");
    checkTask(r === undefined || isWithin(r, 2, q), "r");
    const size = r ?? 1;
    const isShared = o !== undefined;
    const fewest = Math.max(1, 2 * size - q);
    checkTask(isShared ? this.levels === 2 && isWithin(o, fewest, size) : this.levels * size < q, "o");
    this.q = BigInt(q);
    this.r = BigInt(size);
    this.o = BigInt(o ?? 0);
  }

  // The r residues from here on say a level, from the highest level down.
  firstOf(level) {
    return BigInt(this.levels - 1 - level) * (this.r - this.o);
  }

  perturb(pairs, tape, coin) {
    const pair = this.sample(pairs, tape) ?? this.dummy();
    const first = this.firstOf(this.levelOf(pair, tape));
    const { drawn = tape.below(this.functions) } = coin;
    const residue = this.drawResidue(first, tape);
    const constant = (residue + this.q - this.product(drawn, pair.key)) % this.q;
    return writeWord(drawn * this.q + constant);
  }

  dummy() {
    return { key: this.keys, lower: 0, threshold: this.one / 2n };
  }

  // One of the r residues from the first on, or with the rest of all chances any other.
  drawResidue(first, tape) {
    if (tape.bernoulli(this.kept)) return this.r > 1n ? first + tape.below(this.r) : first;
    // Skip the true ones.
    const other = tape.below(this.q - this.r);
    return other < first ? other : other + this.r;
  }

  // ⟨φ, u⟩ mod q, where u are the digits of the key to the base q.
  product(drawn, key) {
    let total = 0n;
    let factors = drawn;
    let digits = BigInt(key);
    while (digits > 0n) {
      total += (factors % this.q) * (digits % this.q);
      factors /= this.q;
      digits /= this.q;
    }
    return total % this.q;
  }

  supports(body, key, level) {
    const word = readWord(body);
    const residue = (this.product(word / this.q, key) + word) % this.q;
    const first = this.firstOf(level);
    return residue >= first && residue < first + this.r;
  }
}
