// proofs/ue-compact.md: a word is φ·q + φ0, and all dummies are key number d.
import { Sampling, expLower, isWithin, must, readWord, spread, writeWord } from "../core.js";

function isPrime(number) {
  for (let factor = 2; factor * factor <= number; factor++) if (number % factor === 0) return false;
  return true;
}

export class Channel extends Sampling {
  static options = ["q", "r", "o"];

  constructor(keys, padding, epsilon, { q, r, o }, levels) {
    super(keys, padding, levels);
    must(isWithin(q, 3, 2 ** 31.5) && isPrime(q), "q must be a prime from 3 on");
    // The defaults 1 and 0 are left out.
    must(r === undefined || isWithin(r, 2, q), "r");
    r ??= 1;
    must(o === undefined ? levels * r < q : levels === 2 && isWithin(o, Math.max(1, 2 * r - q), r), "o");
    this.q = this.functions = BigInt(q);
    this.r = BigInt(r);
    this.o = BigInt(o ?? 0);
    while (this.functions <= keys) this.functions *= this.q;
    this.wordLimit = this.functions * this.q;
    must(this.wordLimit < 1n << 63n, "q needs words of more than 63 bits");
    const inside = expLower(epsilon).times(this.r), others = this.q - this.r;
    this.kept = inside.times(this.one).over(inside.plus(others)).floor;
    const chances = [this.chance(this.kept, this.r), this.chance(this.one - this.kept, others)];
    this.realised = spread(...chances);
    const named = this.first(0) + this.r;
    this.claims(this.chance(this.kept).plus(chances[1].times(named - this.r)).number, Number(named) / q);
  }

  // The r residues from here on say a level, from the highest one down.
  first(level) {
    return BigInt(this.levels - 1 - level) * (this.r - this.o);
  }

  perturb(pairs, tape, coin) {
    const [key, lower, threshold] = this.sample(pairs, tape) ?? [this.keys, 0, this.one / 2n];
    const first = this.first(lower + tape.bernoulli(threshold)), { drawn = tape.below(this.functions) } = coin;
    let residue = first;
    if (tape.bernoulli(this.kept)) residue += this.r > 1n ? tape.below(this.r) : 0n;
    else {
      // Skip the true set.
      const other = tape.below(this.q - this.r);
      residue = other < first ? other : other + this.r;
    }
    return writeWord(drawn * this.q + ((residue + this.q - this.product(drawn, key)) % this.q));
  }

  // ⟨φ, u⟩ mod q.
  product(drawn, key) {
    let total = 0n;
    for (let rest = BigInt(key); rest; rest /= this.q, drawn /= this.q) {
      total += (drawn % this.q) * (rest % this.q);
    }
    return total % this.q;
  }

  supports(body, key, level) {
    const word = readWord(body), residue = (this.product(word / this.q, key) + word) % this.q, first = this.first(level);
    return residue >= first && residue < first + this.r;
  }
}
