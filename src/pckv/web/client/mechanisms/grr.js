// proofs/grr.md: a word is 2·key + (1 for +); the dummies' words follow the keys'.
import { Sampling, readWord, spread, writeWord } from "../core.js";
import { allocate } from "../budget.js";

export class Channel extends Sampling {
  static options = ["allocation"];

  constructor(keys, padding, epsilon, { allocation }, bits = 64) {
    super(keys, padding, bits);
    const [key, value] = allocate(allocation, epsilon, padding);
    const all = keys + padding, optimized = allocation === "optimized";
    this.wordLimit = 2n * BigInt(all);
    // Words with thresholds of their own: the true one, or both of its key.
    this.setApart = optimized ? 1n : 2n;
    this.spread = this.wordLimit - this.setApart;
    const ownKey = key.times(this.one).over(key.plus(all - 1));
    this.kept = ownKey.times(value).over(value.plus(1)).floor;
    this.flipped = optimized ? 0n : ownKey.over(value.plus(1)).floor;
    const other = this.chance(this.one - this.kept - this.flipped, this.spread);
    this.unsampled = [other, other];
    this.sampled = [this.chance(this.kept), optimized ? other : this.chance(this.flipped)];
    this.realised = spread(...[...this.sampled, other].map((chance) => other.times(padding - 1).plus(chance)));
  }

  perturb(pairs, tape) {
    const dummy = () => [this.keys + Number(tape.below(BigInt(this.padding))), this.one / 2n];
    const [key, level] = this.sample(pairs, tape) ?? dummy();
    const word = 2n * BigInt(key) + BigInt(tape.bernoulli(level));
    const number = tape.draw();
    if (number < this.kept) return writeWord(word);
    if (number < this.kept + this.flipped) return writeWord(word ^ 1n);
    // Skip the words that are set apart.
    const other = tape.below(this.spread);
    return writeWord(other < (word & -this.setApart) ? other : other + this.setApart);
  }

  says(body, key) {
    const word = readWord(body) - 2n * BigInt(key);
    return { plus: word === 1n, minus: word === 0n };
  }
}
