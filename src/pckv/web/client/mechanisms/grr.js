// proofs/grr.md: a word is levels·key + level; the words of dummies follow those of keys.
import { readWord, writeWord } from "../bytes.js";
import { checkTask } from "../errors.js";
import { MechanismBase, widestRatio } from "./base.js";
import { allocate } from "./budget.js";

export class Mechanism extends MechanismBase {
  static options = ["allocation"];
  static maxLevelsOfItems = 1;

  constructor(keys, padding, epsilon, { allocation }, levels) {
    super(keys, padding, levels);
    const { key, value } = allocate(allocation, epsilon, padding);
    const all = keys + padding;
    const isOptimized = allocation === "optimized";
    checkTask(isOptimized || levels === 2, "allocation must be optimized unless there are two levels");
    this.wordLimit = BigInt(levels * all);
    // Words with their own thresholds: the true one, or both of its key. All others share the rest evenly.
    this.setApart = isOptimized ? 1n : 2n;
    this.spread = this.wordLimit - this.setApart;
    if (isOptimized) {
      this.kept = value.times(this.one).over(value.plus(this.spread)).floor;
      this.flipped = 0n;
    } else {
      const ownKey = key.times(this.one).over(key.plus(all - 1));
      this.kept = ownKey.times(value).over(value.plus(1)).floor;
      this.flipped = ownKey.over(value.plus(1)).floor;
    }
    this.own = this.chance(this.kept);
    this.other = this.chance(this.one - this.kept - this.flipped, this.spread);
    this.otherLevel = isOptimized ? this.other : this.chance(this.flipped);
    this.setKeyOdds(levels);
    // A held pair is sampled in one of `padding` cases.
    const otherSampled = this.other.times(padding - 1);
    const chances = [this.own, this.otherLevel, this.other].map((chance) => otherSampled.plus(chance));
    this.realised = widestRatio(...chances);
  }

  // A report claims one level of a key at most.
  setKeyOdds(levels) {
    const sampled = this.otherLevel.times(levels - 1).plus(this.own);
    this.setOdds(sampled.number, this.other.times(levels).number);
  }

  perturb(pairs, tape) {
    const pair = this.sample(pairs, tape) ?? this.dummy(tape);
    const word = BigInt(this.levels * pair.key + this.levelOf(pair, tape));
    const number = tape.draw();
    if (number < this.kept) return writeWord(word);
    if (number < this.kept + this.flipped) return writeWord(word ^ 1n);
    // Skip the words that are set apart.
    const other = tape.below(this.spread);
    const firstApart = word & -this.setApart;
    return writeWord(other < firstApart ? other : other + this.setApart);
  }

  dummy(tape) {
    const key = this.keys + Number(tape.below(BigInt(this.padding)));
    return { key, lower: 0, threshold: this.one / 2n };
  }

  supports(body, key, level) {
    return readWord(body) === BigInt(this.levels * key + level);
  }
}
