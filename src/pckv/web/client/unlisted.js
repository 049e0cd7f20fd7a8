// Keys that a task does not list: one more key stands for all of them, or any text is a key and its number a
// hash.
import { encodeText } from "./bytes.js";
import { check, checkTask } from "./errors.js";
import { isCount, isName } from "./formats.js";
import { KeyDomain, ListedKeys } from "./listed-keys.js";
import { sha256 } from "./sha256.js";

export class KeysWithOther extends ListedKeys {
  // It chooses among several other keys.
  draws = 1;

  constructor(members, levelValues) {
    super(members, levelValues);
    const { keys, other } = members;
    const isListed = this.isNamed ? keys.includes(other) : /^\p{Nd}+$/u.test(other);
    checkTask(!isListed, "other has the name of a listed key");
    checkTask(isCount(this.count + 1), "other is one key too many");
    this.otherIndex = this.count;
    this.count += 1;
  }

  // A key that a participant holds may be any text; one that a page asks about is listed, or `other` itself.
  indexOf(key, isHeld = false) {
    check(typeof key === "string", "bad_pairs", `key ${String(key)} is not a text`);
    if (key === this.members.other) return this.otherIndex;
    if (isHeld) return this.listedIndexOf(key.normalize()) ?? this.otherIndex;
    const index = this.listedIndexOf(key);
    check(index !== undefined, "bad_pairs", `key ${key} is not a key of task ${this.members.name}`);
    return index;
  }

  // A text may be given in two forms of Unicode.
  checkRepeats() {}

  // Two forms of a listed key are one key, with the value of the first. One of the other keys, chosen at random,
  // stands for all of them.
  merge(pairs, tape) {
    const listed = firstOfEachKey(pairs.filter(({ key }) => key !== this.otherIndex));
    const others = pairs.filter(({ key }) => key === this.otherIndex);
    if (others.length <= 1) return [...listed, ...others];
    const chosen = others[tape.below(BigInt(others.length))];
    return [...listed, chosen];
  }
}

// The most keys times levels that a mechanism takes.
const MAX_ITEMS = 2 ** 30 - 2;

export class HashedKeys extends KeyDomain {
  constructor(members, levelValues, taskDigest) {
    super(members, levelValues);
    const { mechanism, other } = members;
    checkTask(other === null, "other goes with listed keys");
    // Only functions of positions can be asked about keys that are named afterwards.
    checkTask(mechanism.positions, `hashed keys do not go with ${mechanism.name}`);
    this.taskDigest = taskDigest;
    this.count = Math.floor(MAX_ITEMS / levelValues.length);
  }

  // A key that a participant holds may be any text; undefined if it cannot be a key, and is left out. To refuse
  // it would tell what they hold. One that a page asks about is a key.
  indexOf(key, isHeld = false) {
    check(typeof key === "string", "bad_pairs", `key ${String(key)} is not a text`);
    const text = isHeld ? key.normalize() : key;
    if (isHeld && !isName(text)) return undefined;
    const form = "a text of 1 to 256 bytes, NFC and without control characters";
    check(isName(text), "bad_pairs", `key ${key} is not ${form}`);
    const hash = sha256([...encodeText("pckv key"), ...this.taskDigest, ...encodeText(text)]);
    return Number(hash.getBigUint64(0) % BigInt(this.count));
  }

  // Two texts may have one hash.
  checkRepeats() {}

  // They are one key then, with the value of the first.
  merge(pairs) {
    return firstOfEachKey(pairs);
  }
}

function firstOfEachKey(pairs) {
  const found = new Map();
  for (const pair of pairs) {
    if (!found.has(pair.key)) found.set(pair.key, pair);
  }
  return [...found.values()];
}
