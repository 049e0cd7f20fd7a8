// Keys that nobody listed: one more key stands for all of them, or any text is a key and its number a hash.
import { Task, check, encoder, fromText, isCount, isName, must } from "./core.js";

// The most keys with levels, of which hashes are numbers.
const ITEMS = 2 ** 30 - 2;

export async function unlistedOf(members, levels) {
  if (members.kind === "discovery") return (await import("./discovery.js")).discoveryOf(members);
  return members.keys === "hashed" ? hashed(members, levels) : withOther(members);
}

function withOther({ keys, other }) {
  const named = Array.isArray(keys), otherIndex = keys.length ?? keys;
  must(named ? !keys.includes(other) : !/^\p{Nd}+$/u.test(other), "other has the name of a listed key");
  must(isCount(otherIndex + 1), "other is one key too many");
  return {
    keyCount: otherIndex + 1,
    otherIndex,
    keyIndex(key, held) {
      check(typeof key === "string", "bad_pairs", `key ${String(key)} is not a text`);
      // Otherwise a listed key in another form of Unicode would count as one that is not listed.
      return key === other ? otherIndex : Task.prototype.keyIndex.call(this, held === undefined ? key : key.normalize(), held);
    },
    collapse: (channel) => prepend(channel, 1, (pairs, tape) => {
      const listed = pairs.filter(([index]) => index !== otherIndex), others = pairs.filter(([index]) => index === otherIndex);
      check(firsts(listed).length === listed.length, "bad_pairs", "a key is given twice");
      return [...listed, ...(others.length > 1 ? [others[tape.below(BigInt(others.length))]] : others)];
    }),
  };
}

function hashed({ mechanism, other }, { length }) {
  must(other === null, "other goes with listed keys");
  // Only functions of positions can be asked about keys that are named afterwards.
  must(mechanism.positions, `hashed keys do not go with ${mechanism.name}`);
  const keyCount = Math.floor(ITEMS / length);
  return {
    keyCount,
    keyIndex(key) {
      check(isName(key), "bad_pairs", `key ${String(key)} is not a text of 1 to 256 bytes, NFC and without control characters`);
      const hash = sha256([...encoder.encode("pckv key"), ...fromText(this.id), ...encoder.encode(key)]);
      return Number(hash.getBigUint64(0) % BigInt(keyCount));
    },
    // Two texts of one hash are one key, with the value of the first.
    collapse: (channel) => prepend(channel, 0, firsts),
  };
}

function firsts(pairs) {
  const found = new Map();
  for (const pair of pairs) if (!found.has(pair[0])) found.set(pair[0], pair);
  return [...found.values()];
}

// Pairs become others before anything else is drawn.
function prepend(channel, draws, arrange) {
  const { perturb } = channel;
  channel.draws += draws;
  channel.perturb = (pairs, tape, coin) => perturb.call(channel, arrange(pairs, tape), tape, coin);
}

// The first bits of the fractions of roots of primes: doubles have more of them than are needed.
function fractionsOf(root, count) {
  const primes = [];
  for (let number = 2; primes.length < count; number++) if (primes.every((prime) => number % prime)) primes.push(number);
  return primes.map((prime) => Math.floor((root(prime) % 1) * 2 ** 32));
}

const START = fractionsOf(Math.sqrt, 8), ROUNDS = fractionsOf(Math.cbrt, 64);

const turned = (word, ...places) => places.reduce((sum, place) => sum ^ (word >>> place) ^ (word << (32 - place)), 0);

// The browser's own SHA-256 answers later, when a transaction would have ended.
export function sha256(data) {
  const blocks = new DataView(new ArrayBuffer(64 * Math.ceil((data.length + 9) / 64))), state = [...START];
  [...data, 128].forEach((byte, at) => blocks.setUint8(at, byte));
  blocks.setUint32(blocks.byteLength - 4, 8 * data.length);
  for (let block = 0; block < blocks.byteLength; block += 64) {
    const words = [];
    let [a, b, c, d, e, f, g, h] = state;
    ROUNDS.forEach((constant, round) => {
      const [early, late] = [words[round - 15], words[round - 2]];
      const mixed = words[round - 16] + (turned(early, 7, 18) ^ (early >>> 3)) + words[round - 7] + (turned(late, 17, 19) ^ (late >>> 10));
      words.push(round < 16 ? blocks.getUint32(block + 4 * round) : mixed | 0);
      const first = h + turned(e, 6, 11, 25) + (g ^ (e & (f ^ g))) + constant + words[round];
      const second = turned(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c));
      [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
    });
    [a, b, c, d, e, f, g, h].forEach((word, at) => (state[at] = (state[at] + word) | 0));
  }
  const hash = new DataView(new ArrayBuffer(32));
  state.forEach((word, at) => hash.setInt32(4 * at, word));
  return hash;
}
