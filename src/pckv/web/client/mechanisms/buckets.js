// proofs/buckets.md: a word is the number of a bucket of sizes.
import { Sampling, expLower, must, readWord, spread, writeWord } from "../core.js";

export class Channel extends Sampling {
  static options = [];
  draws = 2;

  constructor(keys, padding, epsilon, _, bits = 64) {
    super(keys, padding, bits);
    must(padding <= 2 ** 14, "padding");
    // The largest size in every bucket.
    this.ends = [0];
    for (let end = 1; end < padding; end *= 2) this.ends.push(end);
    this.ends.push(padding);
    this.rows = this.wordLimit = BigInt(this.ends.length);
    const bound = expLower(epsilon), others = this.rows - 1n;
    this.kept = bound.times(this.one).over(bound.plus(others)).floor;
    this.chances = [this.chance(this.kept), this.chance(this.one - this.kept, others)];
    this.realised = spread(...this.chances);
  }

  // The last bucket takes all larger sets.
  get labels() {
    return this.ends.map((end, bucket) => {
      const start = bucket && this.ends[bucket - 1] + 1;
      return end === this.padding ? `${start}+` : start < end ? `${start}-${end}` : `${end}`;
    });
  }

  // For the true bucket, and for any other.
  get odds() {
    const [held, absent] = this.chances.map(({ number }) => number);
    return { a: held, b: absent, p: 1, held, absent };
  }

  perturb(pairs, tape) {
    const size = Math.min(pairs.length, this.padding), bucket = BigInt(this.ends.findIndex((end) => size <= end));
    if (tape.bernoulli(this.kept)) return writeWord(bucket);
    // Skip the true one.
    const other = tape.below(this.rows - 1n);
    return writeWord(other < bucket ? other : other + 1n);
  }

  says(body) {
    return this.labels[readWord(body)];
  }
}
