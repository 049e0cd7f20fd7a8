// The randomness of one report: its id, then draws of 64 bits.

// A draw is uniform below this.
export const ONE = 1n << 64n;

const ID_BYTES = 16;
const DRAW_BYTES = 8;
// Browsers give at most 64 KiB at a time.
const MAX_BLOCK_DRAWS = 8192;

const randomBytes = (count) => crypto.getRandomValues(new Uint8Array(count));

// Draws are taken in blocks for as many as are expected; beyond that, rejected ones are replaced one by one.
// Only tests pass another source than the browser's randomness.
export class Tape {
  position = 0;
  end = 0;

  constructor(expectedDraws, source = randomBytes) {
    this.reportId = source(ID_BYTES);
    this.expectedDraws = expectedDraws;
    this.source = source;
  }

  draw() {
    if (this.position === this.end) this.takeBlock();
    this.position += DRAW_BYTES;
    return this.block.getBigUint64(this.position - DRAW_BYTES, true);
  }

  takeBlock() {
    const draws = Math.min(Math.max(this.expectedDraws, 1), MAX_BLOCK_DRAWS);
    this.expectedDraws -= draws;
    this.position = 0;
    this.end = DRAW_BYTES * draws;
    this.block = new DataView(this.source(this.end).buffer);
  }

  // Uniform below a count: draws from the incomplete last run of `count` numbers are rejected.
  below(count) {
    for (;;) {
      const number = this.draw();
      const remainder = number % count;
      if (number - remainder <= ONE - count) return remainder;
    }
  }

  bernoulli(threshold) {
    return this.draw() < threshold;
  }
}
