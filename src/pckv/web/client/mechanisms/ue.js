// proofs/ue.md: a body is two planes of bits, which keys are claimed and which of these at the upper level. Without
// values, it is the first of them.
import { checkTask } from "../errors.js";
import { Fraction, isDecimalBetween, parseDecimal } from "../fraction.js";
import { MechanismBase, widestRatio } from "./base.js";
import { allocate } from "./budget.js";

export class Mechanism extends MechanismBase {
  static options = ["allocation", "beta"];
  // Bodies are not words.
  wordLimit = null;

  constructor(keys, padding, epsilon, { allocation, beta }, levels) {
    super(keys, padding, levels);
    checkTask(levels <= 2, "ue has two levels");
    checkTask(levels === 2 || allocation === "optimized", "allocation must be optimized unless there are two levels");
    const isTuned = allocation === "tuned";
    // Theorem 2: padding does not amplify.
    const { key, value } = allocate(isTuned ? "optimized" : allocation, epsilon, 1);
    // The ratio of the chances to claim a key at its own level, for those who hold it and others.
    const claim = key.times(value).times(2).over(value.plus(1));
    this.count = BigInt(levels);
    this.draws = levels + keys;
    if (isTuned) {
      this.setTuned(beta, claim);
    } else {
      checkTask(beta === undefined, "beta goes with tuned");
      this.setHalf(value, claim);
    }
    const present = this.kept + this.flipped;
    this.setOdds(this.chance(present).number, this.chance(this.count * this.fake).number);
    const shown = levels > 1 ? [this.kept, this.flipped] : [this.kept];
    this.realised = widestRatio(
      ...shown.map((threshold) => new Fraction(threshold, this.fake)),
      new Fraction(this.one - present, this.one - this.count * this.fake),
      new Fraction(1),
    );
  }

  // A sampled key is claimed with probability 1/2.
  setHalf(value, claim) {
    const silent = this.one / 2n;
    this.flipped = this.levels > 1 ? new Fraction(silent).over(value.plus(1)).ceil : 0n;
    this.kept = this.one - silent - this.flipped;
    this.fake = new Fraction(this.kept * this.one).over(claim.times(silent).plus(this.count * this.kept)).ceil;
  }

  // Other keys are claimed at each level with probability beta. One part in 2^64 is room for rounding up.
  setTuned(beta, claim) {
    checkTask(isDecimalBetween(beta, "0.000001", "0.499999"), "beta");
    this.fake = parseDecimal(beta).times(this.one).floor;
    const room = claim.plus(-1).times(this.fake).plus(this.one);
    this.kept = claim.times(this.fake * (this.one - 1n)).over(room).floor;
    this.flipped = new Fraction(this.kept).over(claim).ceil;
  }

  perturb(pairs, tape) {
    const sampled = this.sample(pairs, tape);
    const isUpper = sampled !== undefined && this.levelOf(sampled, tape) === 1;
    const planeBytes = Math.ceil(this.keys / 8);
    const body = new Uint8Array(this.levels * planeBytes);
    for (let position = 0; position < this.keys; position++) {
      const number = tape.draw();
      const isOwn = position === sampled?.key;
      const isClaimed = number < (isOwn ? this.kept + this.flipped : this.count * this.fake);
      const isFirst = number < (isOwn ? this.kept : this.fake);
      const claimsUpper = isOwn ? isFirst === isUpper : isFirst;
      const byte = position >> 3;
      const bit = 1 << (position & 7);
      if (isClaimed) body[byte] |= bit;
      // Beyond the end of the only plane, nothing is written.
      if (isClaimed && claimsUpper) body[planeBytes + byte] |= bit;
    }
    return body;
  }

  supports(body, key, level) {
    const byte = key >> 3;
    const place = key & 7;
    const isClaimed = ((body[byte] >> place) & 1) === 1;
    const claimedLevel = this.levels > 1 ? (body[body.length / 2 + byte] >> place) & 1 : 0;
    return isClaimed && claimedLevel === level;
  }
}
