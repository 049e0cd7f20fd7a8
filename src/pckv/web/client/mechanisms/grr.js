// proofs/grr.md: a word is levels·key + level; the dummies' words follow the keys'.
import { Sampling, must, readWord, spread, writeWord } from "../core.js";
import { allocate } from "../budget.js";

export class Channel extends Sampling {
  static options = ["allocation"];

  constructor(keys, padding, epsilon, { allocation }, levels) {
    super(keys, padding, levels);
    const [key, value] = allocate(allocation, epsilon, padding);
    const all = keys + padding, optimized = allocation === "optimized";
    must(optimized || levels === 2, "allocation must be optimized for more than two levels");
    this.wordLimit = BigInt(levels * all);
    // Words with thresholds of their own: the true one, or both of its key.
    this.setApart = optimized ? 1n : 2n;
    this.spread = this.wordLimit - this.setApart;
    const ownKey = key.times(this.one).over(key.plus(all - 1));
    const kept = optimized ? value.times(this.one).over(value.plus(this.spread)) : ownKey.times(value).over(value.plus(1));
    this.kept = kept.floor;
    this.flipped = optimized ? 0n : ownKey.over(value.plus(1)).floor;
    const other = this.chance(this.one - this.kept - this.flipped, this.spread), own = this.chance(this.kept);
    const wrong = optimized ? other : this.chance(this.flipped);
    this.claims(wrong.times(levels - 1).plus(own).number, other.times(levels).number);
    this.realised = spread(...[own, wrong, other].map((chance) => other.times(padding - 1).plus(chance)));
  }

  perturb(pairs, tape) {
    const dummy = () => [this.keys + Number(tape.below(BigInt(this.padding))), 0, this.one / 2n];
    const [key, lower, threshold] = this.sample(pairs, tape) ?? dummy();
    const word = BigInt(this.levels * key + lower) + BigInt(tape.bernoulli(threshold));
    const number = tape.draw();
    if (number < this.kept) return writeWord(word);
    if (number < this.kept + this.flipped) return writeWord(word ^ 1n);
    // Skip the words that are set apart.
    const other = tape.below(this.spread);
    return writeWord(other < (word & -this.setApart) ? other : other + this.setApart);
  }

  supports(body, key, level) {
    return readWord(body) === BigInt(this.levels * key + level);
  }
}
