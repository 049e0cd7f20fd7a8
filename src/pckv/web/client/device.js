// The device half: pairs in, one report out.
import { Fraction, check } from "./exact.js";

function randomBytes(count) {
  const data = new Uint8Array(count), most = 65536;
  for (let at = 0; at < count; at += most) crypto.getRandomValues(data.subarray(at, at + most));
  return data;
}

// A report's id, then little-endian 64-bit draws, in order. Only tests give another source.
export class Tape {
  one = 1n << 64n;

  constructor(draws, source = randomBytes) {
    this.source = source;
    const data = source(16 + 8 * draws);
    this.reportId = data.slice(0, 16);
    this.take(data.slice(16));
  }

  take(data) {
    this.block = new DataView(data.buffer);
    this.at = 0;
  }

  draw() {
    if (this.at === this.block.byteLength) this.take(this.source(8));
    this.at += 8;
    return this.block.getBigUint64(this.at - 8, true);
  }

  // Exactly uniform: the incomplete last run is drawn again.
  below(count) {
    for (;;) {
      const number = this.draw(), result = number % count;
      if (number - result <= this.one - count) return result;
    }
  }

  bernoulli(threshold) {
    return this.draw() < threshold;
  }
}

export const perturb = (task, pairs) => perturbFrom(new Tape(task.channel.draws), task, pairs);

export function perturbFrom(tape, task, pairs) {
  const { low, high } = task;
  const read = Array.from(pairs instanceof Map ? pairs : Object.entries(pairs), ([key, value]) => {
    const index = task.keyIndex(key), within = typeof value === "number" && low <= value && value <= high;
    check(within, "bad_pairs", `value ${value} of key ${key} is not a number within [${low}, ${high}]`);
    return [index, level(value, low, high)];
  });
  return { id: tape.reportId, body: task.channel.perturb(read, tape) };
}

// The threshold that reports a value as +: 53 bits of it, as doubles give them. This does not touch ε.
export const level = (value, low, high) => BigInt(Math.floor(((value - low) / (high - low)) * 2 ** 53)) << 11n;

// What mechanisms share that pad, sample one pair and perturb it.
export class Sampling {
  draws = 5;

  constructor(keys, padding, bits) {
    Object.assign(this, { keys, padding, one: 1n << BigInt(bits) });
  }

  chance(threshold, parts = 1n) {
    return new Fraction(threshold, this.one * parts);
  }

  // One of max(|S|, ℓ) slots: a pair, or undefined for a dummy.
  sample(pairs, tape) {
    return pairs[tape.below(BigInt(Math.max(pairs.length, this.padding)))];
  }

  get odds() {
    const [plus, minus] = this.sampled, a = plus.plus(minus), b = this.unsampled.times(2);
    const held = b.times(this.padding - 1).plus(a).over(this.padding);
    return { a: a.number, b: b.number, p: plus.over(a).number, held: held.number };
  }
}

// The largest of some chances over the least.
export function spread(...chances) {
  chances.sort((x, y) => (x.below(y) ? -1 : 1));
  return chances.at(-1).over(chances[0]);
}

export function writeWord(word) {
  const body = new Uint8Array(8);
  new DataView(body.buffer).setBigUint64(0, word, true);
  return body;
}

export const readWord = (body) => new DataView(body.buffer, body.byteOffset).getBigUint64(0, true);

// Unpadded base64url; any text that would not have been written is refused.
export function toText(data) {
  const letters = btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(""));
  return letters.replace(/[+/=]/g, (letter) => ({ "+": "-", "/": "_" })[letter] ?? "");
}

export function fromText(text) {
  let data = [];
  try {
    data = Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
  } catch {}
  check(toText(data) === text, "bad_encoding", "not base64url");
  return data;
}
