// Lists of answer options in texts and tables: what is a key, what cannot be one, and what is a heading.

import { isDisguised } from "./direction.js";

const MAX_LINE_BYTES = 256;
export const LINE_BREAK = /\r\n|\r|\n/;
const DELIMITERS = [",", ";", "\t"];
// The first cells of tables that are not an answer, but say what stands below them.
const HEADINGS = new Set(
  "key keys name names answer answers option options item items label labels antwort antworten antwortmöglichkeit antwortmöglichkeiten bezeichnung schlüssel eintrag nom réponse réponses nombre respuesta respuestas".split(
    " ",
  ),
);

const byteCount = (text) => new TextEncoder().encode(text).length;

// The keys in a text with one per line, and which lines are empty, repeat another one or hold what cannot be
// a key, and why. `exact`: as `pckv estimate --keys-file` reads them. Otherwise blanks around a key are left out, and
// it is normalised.
export function parseKeys(text, { exact = false } = {}) {
  const lines = text.split(LINE_BREAK),
    places = new Map(),
    empty = [],
    repeated = [],
    bad = [],
    read = exact ? (line) => line : (line) => line.trim().normalize();
  // The end of the last line begins no other one.
  if (!read(lines.at(-1))) lines.pop();
  lines.forEach((line, index) => {
    const key = read(line),
      place = index + 1;
    if (!key) empty.push(place);
    else if (places.has(key)) repeated.push({ place, key, first: places.get(key) });
    else {
      places.set(key, place);
      // No character takes more than three bytes per unit of the length.
      if (3 * key.length > MAX_LINE_BYTES && byteCount(key) > MAX_LINE_BYTES) bad.push({ place, why: "long" });
      else if (/\p{Cc}/u.test(key)) bad.push({ place, why: "unseen" });
      else if (!exact && isDisguised(key)) bad.push({ place, why: "disguise" });
      else if (key !== key.normalize()) bad.push({ place, why: "form" });
    }
  });
  return { keys: [...places.keys()], empty, repeated, bad };
}

// The first column of a CSV text, and the rest of each row. Its first line says what separates the columns. `why` says
// what is wrong with a text that is no table.
export function readTable(text) {
  const [head] = text.replaceAll(/"(?:[^"]|"")*"/g, "").split(/\r|\n/, 1);
  const delimiter = [...head].find((character) => DELIMITERS.includes(character)) ?? "\n";
  const row = new RegExp(
    `("(?:[^"]|"")*"|[^"${delimiter}\\r\\n]*)((?:"(?:[^"]|"")*"|[^"\\r\\n])*)(?:\\r\\n|\\r|\\n|$)`,
    "y",
  );
  const names = [],
    rests = [];
  while (row.lastIndex < text.length) {
    const found = row.exec(text);
    if (!found) return { why: "open" };
    const name = found[1].startsWith('"') ? found[1].slice(1, -1).replaceAll('""', '"') : found[1];
    if (/[\r\n]/.test(name)) return { why: "lines", name };
    names.push(name);
    rests.push(found[2]);
  }
  return { names, rests };
}

// Whether the first row says what stands below it: by its word, or by more columns, which are words there.
export function hasHeading(names, rests = []) {
  if (names.length < 2) return false;
  const [first] = names,
    [rest = ""] = rests;
  return HEADINGS.has(first.trim().toLowerCase()) || (/\p{L}/u.test(rest) && !/\d/.test(rest));
}
