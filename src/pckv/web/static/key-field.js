// The keys of a task: names by paste or from a file, just how many, or any text; what is wrong is told with its line.
import { MAX_LINE_BYTES, byteCount, hasControls, number } from "./form-checks.js";
import { ChoiceField, FieldProblem, TextField } from "./form-fields.js";
import { count, field, make, plural } from "./page.js";

const MAX_KEYS = 2 ** 31,
  MAX_FILE_BYTES = 2 ** 25,
  MAX_LINES_NAMED = 5;
const EXAMPLE = "Alien\nHeat\nToy Story";
const DELIMITERS = [",", ";", "\t"];

// The keys in a text with one per line, and which lines are empty, repeat another one or hold what cannot be a key.
export function parseKeys(text) {
  const lines = text.split(/\r\n|\r|\n/),
    places = new Map(),
    empty = [],
    repeated = [],
    bad = [];
  // The end of the last line begins no other one.
  if (!lines.at(-1).trim()) lines.pop();
  lines.forEach((line, index) => {
    const key = line.trim().normalize(),
      place = index + 1;
    if (!key) empty.push(place);
    else if (places.has(key)) repeated.push({ place, key, first: places.get(key) });
    else {
      places.set(key, place);
      if (byteCount(key) > MAX_LINE_BYTES) bad.push({ place, why: `is longer than ${MAX_LINE_BYTES} bytes` });
      else if (hasControls(key)) bad.push({ place, why: "has a tab or another character that cannot be seen" });
    }
  });
  return { keys: [...places.keys()], empty, repeated, bad };
}

// The first column of a CSV text, one name per line. Its first line says what separates the columns.
export function firstColumn(text) {
  const [head] = text.replaceAll(/"(?:[^"]|"")*"/g, "").split(/\r|\n/, 1);
  const delimiter = [...head].find((character) => DELIMITERS.includes(character)) ?? "\n";
  const row = new RegExp(`("(?:[^"]|"")*"|[^"${delimiter}\\r\\n]*)((?:"(?:[^"]|"")*"|[^"\\r\\n])*)(?:\\r\\n|\\r|\\n|$)`, "y");
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
  // `changed` is called when a file was read: nobody types then.
  constructor(changed) {
    this.changed = changed;
    this.label = "Keys";
    this.names = make("textarea", { rows: 6, placeholder: EXAMPLE, spellcheck: "false" });
    this.file = make("input", { type: "file", accept: ".txt,.csv,text/plain,text/csv", onchange: () => this.read() });
    this.number = new TextField("Number of keys", make("input", { type: "number", min: 1, max: MAX_KEYS, value: 100 }), {
      hint: "They are named 0, 1, 2, …",
      check: number({ min: 1, max: MAX_KEYS, whole: true, missing: "say how many keys there are" }),
    });
    this.as = new ChoiceField(
      "What people may hold or rate, the keys",
      [
        ["names", "a list of names"],
        ["number", "just numbers"],
        ["hashed", "any text", "People write what they hold, and you name the keys that you want to know about afterwards. Each of them is known less precisely than in a short list."],
        ["discovery", "unknown: find them", "People write what they hold, and frequent texts are found letter by letter. It tells how many hold them, without values. Then make a task that measures what was found."],
      ],
      { onchange: () => this.choose() },
    );
    const named = field("Keys, one per line", this.names);
    this.listProblem = new FieldProblem(this.names);
    this.said = make("p", { class: "aside", role: "status" });
    this.tidy = make("button", { type: "button", hidden: true, onclick: () => this.tidyUp() }, "Remove repeated and empty lines");
    named.append(this.listProblem.element);
    const hint = "A .txt file with one key per line, or a .csv file whose first column has the keys.";
    this.listed = make("div", {}, named, this.said, this.tidy, field("Or take them from a file", this.file, hint));
    this.element = make("div", {}, this.as.element, this.listed, this.number.element);
    this.names.addEventListener("change", () => this.validate());
    this.names.addEventListener("input", () => this.tell());
    this.choose();
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

  get value() {
    return { as: this.as.value, names: this.names.value, number: this.number.value };
  }

  set value({ as, names, number: many } = {}) {
    this.names.value = typeof names === "string" ? names : "";
    this.number.value = typeof many === "string" ? many : "100";
    this.as.value = ["number", "hashed", "discovery"].includes(as) ? as : "names";
    this.tell();
  }

  // As a task has them.
  keys() {
    if (this.isHashed) return "hashed";
    return this.isList ? parseKeys(this.names.value).keys : Number(this.number.value);
  }

  // There are more texts than anybody holds.
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
    const { keys, repeated, bad } = parseKeys(this.names.value);
    if (!keys.length) return "name at least one key";
    const repeats = repeated.map(({ place, key, first }) => `line ${count(place)} repeats “${key}” of line ${count(first)}`);
    return listed([...bad.map(({ place, why }) => `line ${count(place)} ${why}`), ...repeats]);
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
    const { keys, empty, repeated } = parseKeys(this.names.value);
    const skipped = empty.length
      ? ` ${listed(empty.map((place) => `line ${count(place)}`))} ${empty.length === 1 ? "is empty and is" : "are empty and are"} left out.`
      : "";
    const text = keys.length ? `${plural(keys.length, "key")}.${skipped.replace(/^ l/, " L")}` : "";
    if (this.said.textContent !== text) this.said.textContent = text;
    this.tidy.hidden = !(empty.length || repeated.length);
    if (!this.listProblem.element.hidden) this.listProblem.show(this.wrong());
  }

  tidyUp() {
    this.names.value = parseKeys(this.names.value).keys.join("\n");
    this.validate();
    this.names.focus();
    this.changed();
  }

  async read() {
    const [file] = this.file.files;
    if (!file) return;
    try {
      if (file.size > MAX_FILE_BYTES) throw new Error("the file is larger than 32 MiB");
      const text = await decoded(file);
      this.names.value = /\.csv$/i.test(file.name) ? firstColumn(text) : text;
      this.validate();
    } catch (error) {
      this.listProblem.show(`nothing was taken from ${file.name}: ${error.message}`);
    }
    this.changed();
  }
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
