// The keys of a task, and the pairs that participants hold.
import { check } from "./errors.js";
import { neighboursOf } from "./levels.js";

// What tasks with keys of all kinds share. A domain numbers keys from 0 and reads pairs into
// `{ key: number, lower, threshold }`: the level below the value, and the threshold for the one above.
export class KeyDomain {
  // Draws of a report beyond those of its mechanism.
  draws = 0;

  constructor(members, levelValues) {
    this.members = members;
    this.levelValues = levelValues;
  }

  makeMechanism(Mechanism, padding, epsilon, parameters) {
    return new Mechanism(this.count, padding, epsilon, parameters, this.levelValues.length);
  }

  read(pairs) {
    const { name, more, padding } = this.members;
    const hasValues = this.levelValues.length > 1;
    const entries = hasValues ? entriesOf(pairs, name) : this.entriesOfKeys(pairs);
    // Values are checked even where the key is left out.
    const given = Array.from(entries, ([key, value]) => this.readPair(key, value));
    const read = given.filter(({ key }) => key !== undefined);
    this.checkRepeats(read);
    const size = countKeys(read);
    const isTaken = more === "sample" || size <= padding;
    const noun = hasValues ? "pairs" : "keys";
    const message = `task ${name} takes at most ${padding} ${noun}, not ${size}; nothing was perturbed`;
    check(isTaken, "bad_pairs", message);
    return read;
  }

  // Keys without values, each once, with what they count for.
  entriesOfKeys(keys) {
    const isList = Object(keys) === keys && Symbol.iterator in keys && !(keys instanceof Map);
    check(isList, "bad_pairs", `task ${this.members.name} takes a list of keys, which have no values`);
    return Array.from(new Set(keys), (key) => {
      check(typeof key === "string", "bad_pairs", `key ${String(key)} is not a text`);
      return [key, ...this.levelValues];
    });
  }

  readPair(key, value) {
    const { between } = this.members;
    const { levelValues } = this;
    const index = this.indexOf(key, true);
    const given = `value ${value} of key '${key}'`;
    const low = levelValues[0];
    const high = levelValues.at(-1);
    const isInRange = typeof value === "number" && low <= value && value <= high;
    check(isInRange, "bad_pairs", `${given} is not a number within [${low}, ${high}]`);
    const isLevel = between !== "refuse" || levelValues.includes(value);
    check(isLevel, "bad_pairs", `${given} is not one of ${levelValues.join(", ")}`);
    return { key: index, ...neighboursOf(value, levelValues) };
  }

  checkRepeats(pairs) {
    check(countKeys(pairs) === pairs.length, "bad_pairs", "a key is given twice");
  }

  // Several pairs may become one before anything else is drawn.
  merge(pairs) {
    return pairs;
  }
}

function entriesOf(pairs, name) {
  const isMapping = pairs instanceof Map || (Object(pairs) === pairs && !(Symbol.iterator in pairs));
  check(isMapping, "bad_pairs", `task ${name} takes an object or a Map of keys and values`);
  return pairs instanceof Map ? pairs : Object.entries(pairs);
}

function countKeys(pairs) {
  return new Set(pairs.map(({ key }) => key)).size;
}

// Keys with names, or numbered ones whose names are "0", "1" and so on.
export class ListedKeys extends KeyDomain {
  constructor(members, levelValues) {
    super(members, levelValues);
    const { keys } = members;
    this.isNamed = Array.isArray(keys);
    this.count = this.isNamed ? keys.length : keys;
    // A map, so that the time of a report does not show which keys it is about.
    this.indices = new Map(this.isNamed ? keys.map((key, index) => [key, index]) : []);
  }

  indexOf(key) {
    const index = this.listedIndexOf(key);
    check(index !== undefined, "bad_pairs", `key ${key} is not a key of task ${this.members.name}`);
    return index;
  }

  // Undefined for a key that is not listed.
  listedIndexOf(key) {
    if (this.isNamed) return this.indices.get(key);
    const number = key >>> 0;
    return String(number) === key && number < this.members.keys ? number : undefined;
  }
}
