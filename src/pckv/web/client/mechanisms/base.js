// What all mechanisms share: a sample of the pairs, chances out of 2^64, and the odds that participants read.
import { Fraction } from "../fraction.js";
import { ONE } from "../tape.js";

export class MechanismBase {
  // The most levels of items that are derived of pairs: none for most mechanisms.
  static maxLevelsOfItems = 0;
  one = ONE;

  constructor(keys, padding, levels) {
    this.keys = keys;
    this.padding = padding;
    this.levels = levels;
    // As many as a report of one sampled pair usually takes.
    this.draws = levels > 1 ? 5 : 4;
  }

  // One of the levels that a value lies between. Without a value there is one, and nothing is drawn.
  levelOf({ lower, threshold }, tape) {
    return this.levels > 1 ? lower + tape.bernoulli(threshold) : lower;
  }

  // The probability of a draw below a threshold, or of one of several equal parts of that.
  chance(threshold, parts = 1n) {
    return new Fraction(threshold, this.one * parts);
  }

  // As many pairs as the padding, a uniform choice where there are more.
  chosen(pairs, tape) {
    const chosen = [...pairs];
    if (pairs.length <= this.padding) return chosen;
    for (let place = 0; place < this.padding; place++) {
      const other = place + Number(tape.below(BigInt(pairs.length - place)));
      [chosen[place], chosen[other]] = [chosen[other], chosen[place]];
    }
    return chosen.slice(0, this.padding);
  }

  // One pair, or undefined for a dummy: pairs are filled up with dummies to the padding.
  sample(pairs, tape) {
    return pairs[tape.below(BigInt(Math.max(pairs.length, this.padding)))];
  }

  // The chances that a report claims a key, at any level: `sampled` if its pair was sampled, which happens in
  // one of `slots` cases.
  setOdds(sampled, absent, slots = this.padding) {
    this.odds = { held: absent + (sampled - absent) / slots, absent };
  }

  // The levels at which a body claims a key.
  says(body, key) {
    const levels = [...Array(this.levels).keys()];
    return levels.filter((level) => this.supports(body, key, level));
  }
}

// The largest of some probabilities over the smallest.
export function widestRatio(...chances) {
  chances.sort((first, second) => (first.below(second) ? -1 : 1));
  return chances.at(-1).over(chances[0]);
}
