// proofs/size-question.md: some reports answer how many pairs their sender holds, by words from the limit of
// pairs on.
import { readWord, writeWord } from "./bytes.js";
import { expLower } from "./epsilon.js";
import { widestRatio } from "./mechanisms/base.js";

export class SizeQuestion {
  // `pairs` is the mechanism of all other reports.
  constructor(pairs, epsilon, share) {
    const { keys, padding, one } = pairs;
    // The sizes that are told apart; the first stands for all sizes up to the padding.
    this.ends = [...new Set([padding, padding + 1, Math.min(4 * padding, keys), keys])];
    this.others = BigInt(this.ends.length - 1);
    this.asked = share.times(one).floor;
    const bound = expLower(epsilon);
    this.kept = bound.times(one).over(bound.plus(this.others)).floor;
    const right = pairs.chance(this.kept);
    const wrong = pairs.chance(one - this.kept, this.others);
    const realised = widestRatio(right, wrong);
    this.realised = realised.below(pairs.realised) ? pairs.realised : realised;
    this.draws = Math.max(pairs.draws + 1, 4);
    this.wordLimit = pairs.wordLimit + this.others + 1n;
    this.pairs = pairs;
    this.odds = pairs.odds;
    this.summary = {
      share: share.number,
      answers: this.answerTexts(),
      right: right.number,
      wrong: wrong.number,
    };
  }

  answerTexts() {
    const [first, ...others] = this.ends.map((end) => end.toLocaleString("en"));
    return [`at most ${first}`, ...others.map((end) => `about ${end}`)];
  }

  // Which question is answered is drawn first, unless a coin decides it.
  perturb(pairs, tape, coin, label) {
    const { asked = tape.bernoulli(this.asked) } = coin;
    if (!asked) return this.pairs.perturb(pairs, tape, coin, label);
    const own = BigInt(this.endOf(pairs.length, tape));
    const first = this.pairs.wordLimit;
    if (tape.bernoulli(this.kept)) return writeWord(first + own);
    // Skip the true answer.
    const other = tape.below(this.others);
    return writeWord(first + (other < own ? other : other + 1n));
  }

  // A size between two ends becomes one of them at random, such that 1/size keeps its mean, or 1/(size (size - 1)) where
  // keys are asked about together.
  endOf(size, tape) {
    const upper = this.ends.findIndex((end) => size <= end);
    if (upper === 0 || size === this.ends[upper]) return upper;
    const around = [this.ends[upper - 1], this.ends[upper], size];
    const [low, high, own] = around.map((each) => BigInt(each * (this.pairs.together ? each - 1 : 1)));
    const down = low * (high - own);
    return tape.below(own * (high - low)) < down ? upper - 1 : upper;
  }

  // Undefined where the report is about the pairs.
  answer(body) {
    return this.summary.answers[readWord(body) - this.pairs.wordLimit];
  }

  says(body, key) {
    return this.answer(body) === undefined ? this.pairs.says(body, key) : [];
  }
}
