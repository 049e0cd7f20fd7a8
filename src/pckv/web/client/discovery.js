// Texts that nobody listed, found by prefixes: the group of a report's function says how long its prefixes are.
import { channelOf, check, encoder, fromText, isWithin, must, readWord } from "./core.js";
import { sha256 } from "./unlisted.js";

const ITEMS = 2 ** 30 - 2, CONTINUATIONS = 2 ** 16, END = "\0";

// What a discovery has no choice of.
const FIXED = { between: "round", high: "1", levels: 1, low: "0", more: "sample", other: null, series: null, size_share: "0" };

// A text in normal form C may have it anywhere; conjoining letters of Korean are not marks, and join all the same.
export const isAlone = (letter) => letter.normalize() === letter && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{M}\u1160-\u11ff]/u.test(letter);

function readTree(keys, { symbols }) {
  const { alphabet, characters, groups, ...more } = Object(keys);
  must(typeof alphabet === "string" && !Object.keys(more).length, "keys must be an object of alphabet, characters and groups");
  const letters = [...alphabet], follows = (letter, at) => !at || letters[at - 1].codePointAt() < letter.codePointAt();
  must(isWithin(letters.length, 2, 256) && letters.every(isAlone), "alphabet must have from 2 to 255 characters that stand alone");
  must(letters.every(follows), "alphabet must have each character once, in order");
  must(isWithin(characters, 1, 65), "characters");
  must(isWithin(groups, 1, characters + 1), "groups");
  let continuations = 0;
  for (let length = Math.ceil(characters / groups); length >= 0; length--) continuations += letters.length ** length;
  must(continuations <= CONTINUATIONS, "groups must be more");
  must(symbols <= 2 ** 30 / groups, "symbols");
  return { known: new Set(letters), ...keys };
}

export function discoveryOf(members) {
  const { keys, mechanism, padding } = members;
  for (const member in FIXED) must(members[member] === FIXED[member], `${member} of a discovery must be ${FIXED[member]}`);
  // Only functions of positions can be asked about texts that are found afterwards.
  must(mechanism.positions, `a discovery does not go with ${mechanism.name}`);
  const { known, characters, groups } = readTree(keys, mechanism);
  const lengths = Array.from({ length: groups }, (_, group) => Math.ceil((characters * (group + 1)) / groups));

  // What of a text can be found: nothing if a character of that is not in the alphabet. Capital letters that it lacks count as small.
  function cut(text) {
    check(typeof text === "string", "bad_pairs", `key ${String(text)} is not a text`);
    const small = (letter) => (/[A-Z]/.test(letter) && !known.has(letter) ? letter.toLowerCase() : letter);
    const letters = [...text.normalize()].slice(0, characters).map(small);
    return letters.every((letter) => known.has(letter)) ? letters.join("") : "";
  }

  return {
    keyCount: ITEMS,
    read(texts) {
      check(Object(texts) === texts, "bad_pairs", "a discovery takes a list of texts, not one text or number");
      const listed = Symbol.iterator in texts ? texts : Object.keys(texts);
      return [...new Set(Array.from(texts instanceof Map ? texts.keys() : listed, cut))].filter((text) => text);
    },
    // The number of what a group reports of a text; shorter ones are filled up.
    item(text, group) {
      const shown = [...text].slice(0, lengths[group]), prefix = shown.join("") + END.repeat(lengths[group] - shown.length);
      const hash = sha256([...encoder.encode("pckv prefix"), ...fromText(this.id), group, ...encoder.encode(prefix)]);
      return Number(hash.getBigUint64(0) % BigInt(ITEMS));
    },
    // A text is its own number, until a function says how much of it is asked.
    collapse(channel) {
      const functions = BigInt(groups) << 32n, wordLimit = functions * channel.symbols, { symbol: ofItem } = channel;
      const placed = (text) => [text, 0], groupOf = (drawn) => Number(drawn >> 32n);
      const symbol = (drawn, text) => channel.ofItem(BigInt.asUintN(32, drawn), this.item(text, channel.groupOf(drawn)), 0);
      Object.assign(channel, { functions, wordLimit, draws: padding + 3, placed, groupOf, ofItem, symbol });
    },
    // How many characters of texts a report is about.
    prefixLength(body) {
      const { symbols, groupOf } = channelOf(this);
      return lengths[groupOf(readWord(body) / symbols)];
    },
    says(body, text) {
      const shown = cut(text);
      return shown ? channelOf(this).says(body, shown) : [];
    },
  };
}
