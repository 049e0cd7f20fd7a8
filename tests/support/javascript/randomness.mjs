// Repeatable bytes in place of the system's randomness, and clocks that are years ahead.
import { createHash } from "node:crypto";

const { Date: RealDate } = globalThis;
const YEARS_LATER = 20 * 365 * 86_400_000;

Math.random = () => {
  throw new Error("Math.random was called");
};

export const toHex = (bytes) => Buffer.from(bytes).toString("hex");

/** A function that fills arrays with repeatable bytes, one after another; a longer digest begins like a shorter one. */
export function streamOf(seed) {
  let digest = new Uint8Array(0),
    at = 0;
  return (data) => {
    const end = at + data.byteLength;
    if (end > digest.length) {
      digest = createHash("shake256", { outputLength: 2 * end + 65536 })
        .update(String(seed))
        .digest();
    }
    new Uint8Array(data.buffer, data.byteOffset, data.byteLength).set(digest.subarray(at, (at = end)));
  };
}

/** Work with a function that fills arrays in place of the system's randomness; `given` are copies of them, one by one. */
export function withRandomness(fill, work) {
  const real = crypto.getRandomValues,
    given = [];
  crypto.getRandomValues = (data) => {
    fill(data);
    given.push(data.slice());
    return data;
  };
  const restore = () => {
    crypto.getRandomValues = real;
  };
  return settled(() => work(given), restore);
}

/** Work at another time, unless a condition does not hold. */
export function withLaterClocks(isLater, work) {
  if (!isLater) return work();
  const now = performance.now.bind(performance);
  globalThis.Date = class extends RealDate {
    constructor(...given) {
      super(...(given.length ? given : [RealDate.now() + YEARS_LATER]));
    }

    static now() {
      return RealDate.now() + YEARS_LATER;
    }
  };
  performance.now = () => now() + YEARS_LATER;
  return settled(work, () => {
    globalThis.Date = RealDate;
    performance.now = now;
  });
}

/** The result of work after which something is always done, when it returns or when its promise is settled. */
function settled(work, end) {
  let result;
  try {
    result = work();
  } finally {
    if (!(result instanceof Promise)) end();
  }
  return result instanceof Promise ? result.finally(end) : result;
}
