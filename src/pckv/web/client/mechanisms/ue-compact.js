// PCKV-UE's law for every key in one word, φ·q + φ0 (proofs/ue-compact.md); all dummies are key number d.
import { Sampling, readWord, spread, writeWord } from "../device.js";
import { Fraction, expLower, must } from "../exact.js";

function isPrime(number) {
  for (let factor = 2; factor * factor <= number; factor++) if (number % factor === 0) return false;
  return true;
}

export class Channel extends Sampling {
  static options = ["q"];

  constructor(keys, padding, epsilon, { q }, bits = 64) {
    super(keys, padding, bits);
    must(Number.isInteger(q) && q >= 3 && q < 2 ** 31.5 && isPrime(q), "q must be a prime from 3 on");
    this.q = this.functions = BigInt(q);
    while (this.functions <= keys) this.functions *= this.q;
    this.wordLimit = this.functions * this.q;
    must(this.wordLimit < 1n << 63n, "q needs words of more than 63 bits");
    const bound = expLower(epsilon), others = this.q - 1n;
    this.kept = bound.times(this.one).over(bound.plus(others)).floor;
    this.sampled = [this.chance(this.kept), this.chance(this.one - this.kept, others)];
    this.unsampled = new Fraction(1, this.q);
    this.realised = spread(...this.sampled);
  }

  perturb(pairs, tape) {
    const [key, level] = this.sample(pairs, tape) ?? [this.keys, this.one / 2n];
    let residue = tape.bernoulli(level) ? 0n : 1n;
    const drawn = tape.below(this.functions);
    if (!tape.bernoulli(this.kept)) {
      // One of the other residues, all alike: the true one is skipped.
      const other = tape.below(this.q - 1n);
      residue = other < residue ? other : other + 1n;
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

  says(body, key) {
    const word = readWord(body), residue = (this.product(word / this.q, key) + word) % this.q;
    return { plus: residue === 0n, minus: residue === 1n };
  }
}
