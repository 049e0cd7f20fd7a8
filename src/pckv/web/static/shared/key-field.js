// The keys of a task: names by paste or from a file, their number, or any text; problems name a line.
import { ChoiceField, FieldProblem, numeric } from "./form-fields.js";
import { count, field, make, plural } from "./page.js";

const MAX_KEYS = 2 ** 31,
  MAX_LINE_BYTES = 256,
  MAX_FILE_BYTES = 2 ** 25,
  MAX_LINES_NAMED = 5;
// A browser takes seconds to show many lines: of longer lists it shows the first ones.
const MAX_LINES_SHOWN = 2000,
  LINES_OF_LONG = 20;
const LINE_BREAK = /\r\n|\r|\n/;
const EXAMPLE = "Alien\nHeat\nToy Story";
const DELIMITERS = [",", ";", "\t"];
const KINDS = [
  ["names", "a list of names"],
  ["number", "just numbers"],
  [
    "hashed",
    "any text",
    "People write what they hold, and you name the keys that you want to know about afterwards. Each of them is known less precisely than in a short list.",
  ],
  [
    "discovery",
    "unknown: find them",
    "People write what they hold, and frequent texts are found letter by letter. It tells how many hold them, without values. Then make a task that measures what was found.",
  ],
];

const byteCount = (text) => new TextEncoder().encode(text).length;

// The keys in a text with one per line, and which lines are empty, repeat another one or hold what cannot be
// a key. `exact`: as `pckv estimate --keys-file` reads them. Otherwise blanks around a key are left out, and
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
      if (3 * key.length > MAX_LINE_BYTES && byteCount(key) > MAX_LINE_BYTES)
        bad.push({ place, why: `is longer than ${MAX_LINE_BYTES} bytes` });
      else if (/\p{Cc}/u.test(key)) bad.push({ place, why: "has a tab or another character that cannot be seen" });
      else if (key !== key.normalize()) bad.push({ place, why: "is not in Unicode normal form C" });
    }
  });
  return { keys: [...places.keys()], empty, repeated, bad };
}

// The first column of a CSV text, one name per line. Its first line says what separates the columns.
export function firstColumn(text) {
  const [head] = text.replaceAll(/"(?:[^"]|"")*"/g, "").split(/\r|\n/, 1);
  const delimiter = [...head].find((character) => DELIMITERS.includes(character)) ?? "\n";
  const row = new RegExp(
    `("(?:[^"]|"")*"|[^"${delimiter}\\r\\n]*)((?:"(?:[^"]|"")*"|[^"\\r\\n])*)(?:\\r\\n|\\r|\\n|$)`,
    "y",
  );
  const names = [];
  while (row.lastIndex < text.length) {
    const found = row.exec(text);
    if (!found) throw new Error("a quotation mark of the file is not closed");
    const name = found[1].startsWith('"') ? found[1].slice(1, -1).replaceAll('""', '"') : found[1];
    if (/[\r\n]/.test(name)) throw new Error(`the file has a name with a line break: “${name.slice(0, 20)}…”`);
    names.push(name);
  }
  return names.join("\n");
}

export class KeyField {
  // `changed` is called when a file was read, without an input event. `exact`: lines are taken unchanged.
  constructor(changed, { exact = false } = {}) {
    Object.assign(this, { changed, exact, label: "Keys" });
    // The text of a list that is too long to be shown; null if all of it is.
    this.long = null;
    this.listed = this.list();
    this.number = numeric("Number of keys", {
      value: 100,
      max: MAX_KEYS,
      hint: "They are named 0, 1, 2, …",
      missing: "say how many keys there are",
    });
    this.as = new ChoiceField("What people may choose, the keys", KINDS, {
      onchange: () => this.choose(),
    });
    this.element = make("div", {}, this.as.element, this.listed, this.number.element);
    this.choose();
  }

  // The names: written, pasted, or taken from a file.
  list() {
    const button = (text, work) => make("button", { type: "button", hidden: true, onclick: work }, text);
    this.names = make("textarea", {
      rows: 6,
      placeholder: EXAMPLE,
      spellcheck: "false",
      onpaste: (event) => this.paste(event),
      onchange: () => this.validate(),
      oninput: () => this.tell(),
    });
    // A file that was edited and chosen again is read again.
    this.file = make("input", {
      type: "file",
      accept: ".txt,.csv,text/plain,text/csv",
      onclick: () => {
        this.file.value = "";
      },
      onchange: () => this.read(),
    });
    const named = field("Keys, one per line", this.names),
      hint = "A .txt file with one key per line, or a .csv file whose first column has the keys.";
    this.listProblem = new FieldProblem(this.names);
    this.said = make("p", { class: "aside", role: "status" });
    this.tidy = button("Remove repeated and empty lines", () => this.tidyUp());
    this.clear = button("Clear the list", () => this.clearList());
    named.append(this.listProblem.element);
    const file = field("Or take them from a file", this.file, hint);
    return make("div", {}, named, this.said, this.tidy, this.clear, file);
  }

  get problem() {
    return { names: this.listProblem, number: this.number.problem }[this.as.value] ?? this.as.problem;
  }

  get isHashed() {
    return this.as.value === "hashed";
  }

  get isDiscovery() {
    return this.as.value === "discovery";
  }

  get isList() {
    return this.as.value === "names";
  }

  get text() {
    return this.long ?? this.names.value;
  }

  set text(text) {
    const isLong = lineCount(text) > MAX_LINES_SHOWN;
    this.long = isLong ? text : null;
    this.names.value = isLong ? `${text.split(LINE_BREAK, LINES_OF_LONG).join("\n")}\n…` : text;
    this.names.readOnly = isLong;
    this.clear.hidden = !isLong;
  }

  get value() {
    return { as: this.as.value, names: this.text, number: this.number.value };
  }

  set value({ as, names, number: many } = {}) {
    this.text = typeof names === "string" ? names : "";
    this.number.value = typeof many === "string" ? many : "100";
    this.as.value = ["number", "hashed", "discovery"].includes(as) ? as : "names";
    this.tell();
  }

  parse() {
    return parseKeys(this.text, { exact: this.exact });
  }

  // As a task has them.
  keys() {
    if (this.isHashed) return "hashed";
    return this.isList ? this.parse().keys : Number(this.number.value);
  }

  // There are more texts than a participant holds.
  get keyCount() {
    const keys = this.keys();
    if (this.isHashed || this.isDiscovery) return Infinity;
    return Array.isArray(keys) ? keys.length : keys;
  }

  choose() {
    this.listed.hidden = !this.isList;
    this.number.element.hidden = this.as.value !== "number";
    this.changed();
  }

  wrong() {
    if (this.isHashed || this.isDiscovery) return null;
    if (!this.isList) return this.number.wrong();
    const { keys, empty, repeated, bad } = this.parse();
    if (!keys.length) return "name at least one key";
    const blank = this.exact ? empty.map((place) => `line ${count(place)} is empty`) : [];
    const repeats = repeated.map(
      ({ place, key, first }) => `line ${count(place)} repeats “${key}” of line ${count(first)}`,
    );
    return listed([...blank, ...bad.map(({ place, why }) => `line ${count(place)} ${why}`), ...repeats]);
  }

  validate() {
    if (this.isHashed || this.isDiscovery) return true;
    if (!this.isList) return this.number.validate();
    const wrong = this.wrong();
    this.listProblem.show(wrong);
    this.tell();
    return !wrong;
  }

  // What is known of the list while it is typed.
  tell() {
    const { keys, empty, repeated } = this.parse();
    const skipped =
      empty.length && !this.exact
        ? ` ${listed(empty.map((place) => `line ${count(place)}`))} ${empty.length === 1 ? "is empty and is" : "are empty and are"} left out.`
        : "";
    const text = keys.length
      ? `${plural(keys.length, "key")}.${skipped.replace(/^ l/, " L")}${this.long === null ? "" : " The first lines are shown."}`
      : "";
    if (this.said.textContent !== text) this.said.textContent = text;
    this.tidy.hidden = !(empty.length || repeated.length);
    if (!this.listProblem.element.hidden) this.listProblem.show(this.wrong());
  }

  tidyUp() {
    this.text = this.parse().keys.join("\n");
    this.validate();
    this.names.focus();
    this.changed();
  }

  clearList() {
    this.text = "";
    this.listProblem.show(null);
    this.tell();
    this.names.focus();
    this.changed();
  }

  // What would be too long is not put into the field even once.
  paste(event) {
    const pasted = event.clipboardData.getData("text/plain");
    if (this.names.readOnly || lineCount(pasted) <= MAX_LINES_SHOWN) return;
    event.preventDefault();
    const { value, selectionStart, selectionEnd } = this.names;
    this.text = value.slice(0, selectionStart) + pasted + value.slice(selectionEnd);
    this.validate();
    this.changed();
  }

  async read() {
    const [file] = this.file.files;
    if (!file) return;
    try {
      if (file.size > MAX_FILE_BYTES) throw new Error("the file is larger than 32 MiB");
      const text = await decoded(file);
      this.text = /\.csv$/i.test(file.name) ? firstColumn(text) : text;
      this.validate();
    } catch (error) {
      this.listProblem.show(`nothing was taken from ${file.name}: ${error.message}`);
    }
    this.changed();
  }
}

// Stops at what is too long.
function lineCount(text) {
  return text.split(LINE_BREAK, MAX_LINES_SHOWN + 1).length;
}

async function decoded(file) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Error("it is not text in UTF-8");
  }
}

// The first few of many, as one text; null if there are none.
function listed(parts) {
  if (!parts.length) return null;
  const shown = parts.slice(0, MAX_LINES_NAMED),
    rest = parts.length - shown.length;
  if (rest) return `${shown.join(", ")} and ${count(rest)} more`;
  return shown.length === 1 ? shown[0] : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

// The field's value for the keys of a task.
export const valueOfKeys = ({ keys }) => {
  if (Array.isArray(keys)) return { as: "names", names: keys.join("\n"), number: "" };
  if (keys.alphabet) return { as: "discovery" };
  return keys === "hashed" ? { as: keys } : { as: "number", names: "", number: String(keys) };
};
