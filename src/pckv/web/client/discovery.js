// Texts that a task does not list, found by prefixes: the group of a report's function says how long its
// prefixes are.
import { encodeText, readWord } from "./bytes.js";
import { check, checkTask } from "./errors.js";
import { isWithin } from "./formats.js";
import { Mechanism as Collision } from "./mechanisms/collision.js";
import { sha256 } from "./sha256.js";

const ITEMS = 2 ** 30 - 2;
const MAX_CONTINUATIONS = 2 ** 16;
// Fills up texts that are shorter than the prefixes of a group.
const END = "\0";
// The lower bits of a function's number are a function of items, those above its group.
const FUNCTION_BITS = 32;

// What a discovery has no choice of.
const FIXED = {
  low: null,
  more: "sample",
  other: null,
  series: null,
  size_share: "0",
};

// Whether a text in normal form C may have a character anywhere. Conjoining letters of Korean are not marks,
// but join as well.
export function isAlone(letter) {
  return letter.normalize() === letter && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{M}\u1160-\u11ff]/u.test(letter);
}

// The texts that a participant may hold: what `KeyDomain` is for pairs.
export class TextDomain {
  draws = 0;
  count = ITEMS;

  constructor(members, taskDigest) {
    const { keys, mechanism } = members;
    for (const member of Object.keys(FIXED)) {
      checkTask(members[member] === FIXED[member], `${member} of a discovery must be ${FIXED[member]}`);
    }
    // Only functions of positions can be asked about texts that are found afterwards.
    checkTask(mechanism.positions, `a discovery does not go with ${mechanism.name}`);
    checkTree(keys, mechanism);
    const { alphabet, characters, groups } = keys;
    this.letters = new Set(alphabet);
    // The first letter of the alphabet by its capital letter.
    this.small = new Map([...alphabet].reverse().map((letter) => [letter.toUpperCase(), letter]));
    this.characters = characters;
    this.groups = groups;
    const lengthOf = (group) => Math.ceil((characters * (group + 1)) / groups);
    this.lengths = [...Array(groups).keys()].map(lengthOf);
    this.taskDigest = taskDigest;
  }

  makeMechanism(_Mechanism, padding, epsilon, parameters) {
    return new PrefixCollision(this, padding, epsilon, parameters);
  }

  // Each text once that can be found.
  read(texts) {
    check(Object(texts) === texts, "bad_pairs", "a discovery takes a list of texts, not one text or number");
    const found = new Set(Array.from(listOf(texts), (text) => this.findablePart(text)));
    return [...found].filter((text) => text !== "");
  }

  // The characters of a text that can be found; none of them if one is not in the alphabet. A capital letter
  // that the alphabet lacks counts as its small letter, or else as the first one whose capital letter it is.
  findablePart(text) {
    check(typeof text === "string", "bad_pairs", `key ${String(text)} is not a text`);
    const known = (letter) => this.letters.has(letter);
    const countedAs = (letter) => [letter, letter.toLowerCase(), this.small.get(letter)].find(known) ?? letter;
    const letters = [...text.normalize()].slice(0, this.characters).map(countedAs);
    return letters.every(known) ? letters.join("") : "";
  }

  // A text is its own number; undefined if it cannot be found.
  indexOf(text) {
    const found = this.findablePart(text);
    return found === "" ? undefined : found;
  }

  merge(texts) {
    return texts;
  }

  // The number of what a group reports of a text.
  itemOf(text, group) {
    const length = this.lengths[group];
    const shown = [...text].slice(0, length);
    const prefix = shown.join("") + END.repeat(length - shown.length);
    const hash = sha256([...encodeText("pckv prefix"), ...this.taskDigest, group, ...encodeText(prefix)]);
    return Number(hash.getBigUint64(0) % BigInt(ITEMS));
  }
}

function checkTree(keys, { symbols }) {
  const { alphabet, characters, groups, ...more } = Object(keys);
  const hasMembers = typeof alphabet === "string" && Object.keys(more).length === 0;
  checkTask(hasMembers, "keys must be an object of alphabet, characters and groups");
  const letters = [...alphabet];
  const areAlone = isWithin(letters.length, 2, 256) && letters.every(isAlone);
  checkTask(areAlone, "alphabet must have from 2 to 255 characters that stand alone");
  const points = letters.map((letter) => letter.codePointAt(0));
  const ascend = points.every((point, place) => place === 0 || points[place - 1] < point);
  checkTask(ascend, "alphabet must have each character once, in order");
  checkTask(isWithin(characters, 1, 65), "characters");
  checkTask(isWithin(groups, 1, characters + 1), "groups");
  const continuations = continuationsOf(letters.length, Math.ceil(characters / groups));
  checkTask(continuations <= MAX_CONTINUATIONS, "groups must be more");
  checkTask(symbols <= 2 ** 30 / groups, "symbols");
}

// How many texts of at most a length there are.
function continuationsOf(letters, length) {
  let count = 0;
  for (let each = 0; each <= length; each++) count += letters ** each;
  return count;
}

function listOf(texts) {
  if (texts instanceof Map) return texts.keys();
  return Symbol.iterator in texts ? texts : Object.keys(texts);
}

// `collision` on texts: which item a text is depends on the group of the function that is drawn.
class PrefixCollision extends Collision {
  constructor(texts, padding, epsilon, parameters) {
    super(texts.count, padding, epsilon, parameters, 1);
    this.texts = texts;
    this.functions = BigInt(texts.groups) << BigInt(FUNCTION_BITS);
    this.wordLimit = this.functions * this.symbols;
  }

  groupOf(drawn) {
    return Number(drawn >> BigInt(FUNCTION_BITS));
  }

  // A text has one level: nothing is drawn.
  placed(text) {
    return { key: text, level: 0 };
  }

  symbol(drawn, text) {
    const item = this.texts.itemOf(text, this.groupOf(drawn));
    return this.itemSymbol(BigInt.asUintN(FUNCTION_BITS, drawn), item);
  }

  // How many of the first characters of texts a report is about.
  prefixLength(body) {
    return this.texts.lengths[this.groupOf(readWord(body) / this.symbols)];
  }
}
