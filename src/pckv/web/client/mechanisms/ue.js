// PCKV-UE (proofs/ue.md): every key's own three-sided die, sent as two bit planes.
import { Sampling, spread } from "../device.js";
import { Fraction } from "../exact.js";
import { allocate } from "./allocated.js";

export class Channel extends Sampling {
  static options = ["allocation"];
  wordLimit = null;

  constructor(keys, padding, epsilon, { allocation }, bits = 64) {
    super(keys, padding, bits);
    // Padding does not amplify here: the budgets are those of padding 1.
    const { value, claim } = allocate(allocation, epsilon, 1);
    const silent = this.one / 2n;
    this.draws = 2 + keys;
    this.flipped = new Fraction(silent).over(value.plus(1)).ceil;
    this.kept = this.one - silent - this.flipped;
    this.fake = new Fraction(this.kept * this.one).over(claim.times(silent).plus(2n * this.kept)).ceil;
    this.sampled = [this.chance(this.kept), this.chance(this.flipped)];
    this.unsampled = this.chance(this.fake);
    const odds = this.sampled.map((chance) => chance.over(this.unsampled));
    this.realised = spread(...odds, new Fraction(silent, this.one - 2n * this.fake), new Fraction(1));
  }

  perturb(pairs, tape) {
    const sampled = this.sample(pairs, tape), [key, level] = sampled ?? [];
    const positive = sampled && tape.bernoulli(level);
    const plane = Math.ceil(this.keys / 8), body = new Uint8Array(2 * plane);
    for (let position = 0; position < this.keys; position++) {
      const number = tape.draw(), mine = position === key;
      const present = number < (mine ? this.kept + this.flipped : 2n * this.fake);
      const plus = mine ? positive === number < this.kept : number < this.fake;
      const at = position >> 3, bit = 1 << (position & 7);
      if (present) body[at] |= bit;
      if (present && plus) body[plane + at] |= bit;
    }
    return body;
  }

  says(body, key) {
    const bit = (plane) => (body[(plane * body.length) / 2 + (key >> 3)] >> (key & 7)) & 1;
    return { plus: bit(1) === 1, minus: bit(0) > bit(1) };
  }
}
