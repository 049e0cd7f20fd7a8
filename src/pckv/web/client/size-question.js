// proofs/size-question.md: some reports answer how many pairs their sender holds, by words from the pairs' limit on.
import { expLower, readWord, spread, writeWord } from "./core.js";

export class SizeQuestion {
  constructor(pairs, epsilon, share) {
    const { keys, padding, one } = pairs, bound = expLower(epsilon);
    // The sizes that are told apart; the first stands for all up to the padding.
    this.ends = [...new Set([padding, padding + 1, Math.min(4 * padding, keys), keys])];
    this.others = BigInt(this.ends.length - 1);
    this.asked = share.times(one).floor;
    this.kept = bound.times(one).over(bound.plus(this.others)).floor;
    const right = pairs.chance(this.kept), wrong = pairs.chance(one - this.kept, this.others);
    const realised = spread(right, wrong);
    this.realised = realised.below(pairs.realised) ? pairs.realised : realised;
    this.draws = Math.max(pairs.draws + 1, 4);
    this.wordLimit = pairs.wordLimit + this.others + 1n;
    this.pairs = pairs;
    this.odds = pairs.odds;
    const answers = this.ends.map((end, answer) => `${answer ? "about" : "at most"} ${end.toLocaleString("en")}`);
    this.summary = { share: share.number, answers, right: right.number, wrong: wrong.number };
  }

  // Which question is answered is drawn first, unless a coin decides it.
  perturb(pairs, tape, coin) {
    const { asked = tape.bernoulli(this.asked) } = coin;
    if (!asked) return this.pairs.perturb(pairs, tape, coin);
    const own = BigInt(this.end(pairs.length, tape)), first = this.pairs.wordLimit;
    if (tape.bernoulli(this.kept)) return writeWord(first + own);
    // Skip the true one.
    const other = tape.below(this.others);
    return writeWord(first + (other < own ? other : other + 1n));
  }

  // A size between two ends is rounded such that 1/size keeps its mean.
  end(size, tape) {
    const upper = this.ends.findIndex((end) => size <= end), [low, high] = this.ends.slice(upper - 1);
    if (!upper || size === high) return upper;
    const down = BigInt(low) * BigInt(high - size);
    return upper - (tape.below(BigInt(size) * BigInt(high - low)) < down);
  }

  // Undefined where the report is about the pairs.
  answer(body) {
    return this.summary.answers[readWord(body) - this.pairs.wordLimit];
  }

  says(body, key) {
    return this.answer(body) ? [] : this.pairs.says(body, key);
  }
}
