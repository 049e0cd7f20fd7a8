// proofs/ue.md: two bit planes.
import { Fraction, Sampling, decimal, isBetween, must, spread } from "../core.js";
import { allocate } from "../budget.js";

export class Channel extends Sampling {
  static options = ["allocation", "beta"];
  wordLimit = null;

  constructor(keys, padding, epsilon, { allocation, beta }, levels) {
    super(keys, padding, levels);
    must(levels === 2, "ue has two levels");
    const tuned = allocation === "tuned";
    // Theorem 2: padding does not amplify.
    const [key, value] = allocate(tuned ? "optimized" : allocation, epsilon, 1);
    const claim = key.times(value).times(2).over(value.plus(1));
    this.draws = 2 + keys;
    if (tuned) this.tune(beta, claim);
    else {
      must(beta === undefined, "beta goes with tuned");
      const silent = this.one / 2n;
      this.flipped = new Fraction(silent).over(value.plus(1)).ceil;
      this.kept = this.one - silent - this.flipped;
      this.fake = new Fraction(this.kept * this.one).over(claim.times(silent).plus(2n * this.kept)).ceil;
    }
    const present = this.kept + this.flipped, silent = this.one - present;
    this.claims(this.chance(present).number, this.chance(2n * this.fake).number);
    const odds = [this.kept, this.flipped].map((chance) => new Fraction(chance, this.fake));
    this.realised = spread(...odds, new Fraction(silent, this.one - 2n * this.fake), new Fraction(1));
  }

  // 1/N less, as room for rounding up.
  tune(beta, claim) {
    must(isBetween(beta, "0.000001", "0.499999"), "beta");
    this.fake = decimal(beta).times(this.one).floor;
    const room = claim.plus(-1).times(this.fake).plus(this.one);
    this.kept = claim.times(this.fake * (this.one - 1n)).over(room).floor;
    this.flipped = new Fraction(this.kept).over(claim).ceil;
  }

  perturb(pairs, tape) {
    const sampled = this.sample(pairs, tape), [key, , threshold] = sampled ?? [];
    const positive = sampled && tape.bernoulli(threshold);
    const plane = Math.ceil(this.keys / 8), body = new Uint8Array(2 * plane);
    for (let position = 0; position < this.keys; position++) {
      const number = tape.draw(), own = position === key;
      const present = number < (own ? this.kept + this.flipped : 2n * this.fake);
      const plus = own ? positive === number < this.kept : number < this.fake;
      const at = position >> 3, bit = 1 << (position & 7);
      if (present) body[at] |= bit;
      if (present && plus) body[plane + at] |= bit;
    }
    return body;
  }

  supports(body, key, level) {
    const bit = (plane) => (body[(plane * body.length) / 2 + (key >> 3)] >> (key & 7)) & 1;
    return bit(0) === 1 && bit(1) === level;
  }
}
