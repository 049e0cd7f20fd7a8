// The keys of a task, which pages call answer options: names by paste or from a file, their number, or any text;
// problems name a line.
import { ChoiceField, FieldProblem, numeric } from "./form-fields.js";
import { hasHeading, LINE_BREAK, parseKeys, readTable } from "./key-list.js";
import { t } from "./language.js";
import { count, field, make, plural } from "./page.js";

const MAX_KEYS = 2 ** 31,
  MAX_FILE_BYTES = 2 ** 25,
  MAX_LINES_NAMED = 5;
// A browser takes seconds to show many lines: of longer lists it shows the first ones.
const MAX_LINES_SHOWN = 2000,
  LINES_OF_LONG = 20;
const KINDS = [
  ["names", t("A list that I write")],
  ["number", t("Just numbers"), t("From 0 on: for what has numbers already.")],
  [
    "hashed",
    t("Any text, which I name afterwards"),
    t(
      "People write their own answers, and you name those that you want to know about afterwards. Each of them is known less precisely than in a short list.",
    ),
  ],
  [
    "discovery",
    t("Find unknown answers"),
    t(
      "People write their own answers, and frequent ones are found letter by letter. It tells how many give them, without values. Then make a survey that measures what was found.",
    ),
  ],
];

const line = (place) => t("line {number}", { number: count(place) });

// Why a line is not a key.
const wrongLine = ({ place, why }) =>
  ({
    long: () => t("{line} is longer than 256 bytes", { line: line(place) }),
    unseen: () => t("{line} has a tab or another character that cannot be seen", { line: line(place) }),
    disguise: () =>
      t("{line} has a character that changes the direction of writing, which makes it look like another answer", {
        line: line(place),
      }),
    form: () => t("{line} is not in Unicode normal form C", { line: line(place) }),
  })[why]();

export class KeyField {
  // `changed` is called when a file was read, without an input event. `exact`: lines are taken unchanged.
  constructor(changed, { exact = false } = {}) {
    Object.assign(this, { changed, exact, label: t("Answer options"), heading: null });
    // The text of a list that is too long to be shown; null if all of it is.
    this.long = null;
    this.listed = this.list();
    this.number = numeric(t("Number of answer options"), {
      value: 100,
      max: MAX_KEYS,
      hint: t("They are named 0, 1, 2, …"),
      missing: t("say how many answer options there are"),
    });
    this.as = new ChoiceField(t("What the answer options are"), KINDS, {
      onchange: () => this.choose(),
    });
    this.own = make("p", { class: "note" });
    this.element = make("div", {}, this.listed, this.number.element, this.own);
    this.choose();
  }

  // The names: written, pasted, or taken from a file.
  list() {
    const button = (text, work) => make("button", { type: "button", hidden: true, onclick: work }, text);
    this.names = make("textarea", {
      rows: 6,
      placeholder: t("Alien\nHeat\nToy Story"),
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
    const label = this.exact ? t("Answers to look for, one per line") : t("Answer options, one per line"),
      named = field(label, this.names),
      hint = t("A .txt file with one per line, or a .csv file whose first column has them.");
    this.listProblem = new FieldProblem(this.names);
    this.said = make("p", { class: "aside", role: "status" });
    this.tidy = button(t("Remove repeated and empty lines"), () => this.tidyUp());
    this.clear = button(t("Clear the list"), () => this.clearList());
    this.left = make("p", { class: "note", role: "status", hidden: true });
    this.back = button("", () => this.takeHeading());
    this.drop = button("", () => this.dropFirst());
    named.append(this.listProblem.element);
    const file = field(t("Or take them from a file"), this.file, hint);
    return make("div", {}, named, this.said, this.left, this.back, this.drop, this.tidy, this.clear, file);
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
    this.leaveOut(null);
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
    const [, , says] = KINDS.find(([kind]) => kind === this.as.value);
    this.own.hidden = !(this.isHashed || this.isDiscovery);
    this.own.textContent = this.own.hidden ? "" : says;
    this.changed();
  }

  wrong() {
    if (this.isHashed || this.isDiscovery) return null;
    if (!this.isList) return this.number.wrong();
    const { keys, empty, repeated, bad } = this.parse();
    if (!keys.length) return t("name at least one");
    const blank = this.exact ? empty.map((place) => t("{line} is empty", { line: line(place) })) : [];
    const repeats = repeated.map(({ place, key, first }) =>
      t("{line} repeats “{key}” of {first}", { line: line(place), key, first: line(first) }),
    );
    return listed([...blank, ...bad.map(wrongLine), ...repeats]);
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
    const skipped = this.exact ? [] : empty,
      places = { lines: listed(skipped.map((place) => count(place))) };
    const sentences = [
      `${plural(keys.length, "answer option")}.`,
      skipped.length === 1 ? t("Line {lines} is empty and is left out.", places) : null,
      skipped.length > 1 ? t("Lines {lines} are empty and are left out.", places) : null,
      this.long === null ? null : t("The first lines are shown."),
    ];
    const text = keys.length ? sentences.filter(Boolean).join(" ") : "";
    if (this.said.textContent !== text) this.said.textContent = text;
    this.drop.hidden = this.first === null || !this.text.startsWith(`${this.first}\n`);
    this.drop.textContent = this.drop.hidden ? "" : t("“{first}” is a heading: leave it out", { first: this.first });
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
    this.leaveOut(null);
    this.listProblem.show(null);
    this.tell();
    this.names.focus();
    this.changed();
  }

  // A table that is pasted gives its first column; what would be too long is not put into the field even once.
  paste(event) {
    if (this.names.readOnly) return;
    const pasted = event.clipboardData.getData("text/plain"),
      { value, selectionStart, selectionEnd } = this.names,
      rows = pasted.split(LINE_BREAK).map((row) => row.split("\t")),
      names = rows.map(([name]) => name),
      rests = rows.map(([, ...cells]) => cells.join("\t")),
      isTable = !this.exact && rests.some(Boolean),
      isFirst = !value.slice(0, selectionStart).trim() && (isTable || !rests.some(Boolean));
    const heading = isFirst && hasHeading(names, rests) ? names.shift() : null;
    if (heading === null && !isTable && lineCount(pasted) <= MAX_LINES_SHOWN) return;
    event.preventDefault();
    this.text = value.slice(0, selectionStart) + names.join("\n") + value.slice(selectionEnd);
    this.leaveOut(heading);
    this.validate();
    this.changed();
  }

  async read() {
    const [file] = this.file.files;
    if (!file) return;
    try {
      if (file.size > MAX_FILE_BYTES) throw new Error(t("the file is larger than 32 MiB"));
      const text = await decoded(file),
        isTable = /\.csv$/i.test(file.name),
        { names, rests } = isTable ? tableOf(text) : { names: text.split(LINE_BREAK, 2) },
        heading = hasHeading(names, rests) ? names[0] : null;
      if (isTable) this.text = names.slice(heading === null ? 0 : 1).join("\n");
      else this.text = heading === null ? text : text.replace(/^.*?(?:\r\n|\r|\n)/, "");
      this.leaveOut(heading);
      if (isTable && heading === null && names.length > 1) this.first = names[0];
      this.validate();
    } catch (error) {
      this.listProblem.show(t("nothing was taken from {file}: {reason}", { file: file.name, reason: error.message }));
    }
    this.changed();
  }

  // Says that the first line was taken for a heading; null for none.
  leaveOut(heading) {
    this.heading = heading;
    this.first = null;
    this.left.hidden = this.back.hidden = heading === null;
    this.left.textContent =
      heading === null ? "" : t("The first line, “{heading}”, looks like a heading and is left out.", { heading });
    this.back.textContent = heading === null ? "" : t("“{heading}” is an answer: put it back", { heading });
  }

  // Most tables have a heading, whatever its word is.
  dropFirst() {
    this.text = this.text.slice(this.first.length + 1);
    this.leaveOut(this.first);
    this.validate();
    this.names.focus();
    this.changed();
  }

  takeHeading() {
    this.text = `${this.heading}\n${this.text}`;
    this.leaveOut(null);
    this.validate();
    this.names.focus();
    this.changed();
  }
}

// Stops at what is too long.
function lineCount(text) {
  return text.split(LINE_BREAK, MAX_LINES_SHOWN + 1).length;
}

function tableOf(text) {
  const table = readTable(text);
  if (table.why === "open") throw new Error(t("a quotation mark of the file is not closed"));
  if (table.why === "lines")
    throw new Error(t("the file has a name with a line break: “{start}…”", { start: table.name.slice(0, 20) }));
  return table;
}

async function decoded(file) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Error(t("save it as “CSV UTF-8”"));
  }
}

// The first few of many, as one text; null if there are none.
function listed(parts) {
  if (!parts.length) return null;
  const shown = parts.slice(0, MAX_LINES_NAMED),
    rest = parts.length - shown.length;
  if (rest) return t("{list} and {rest} more", { list: shown.join(", "), rest: count(rest) });
  return shown.length === 1
    ? shown[0]
    : t("{list} and {last}", { list: shown.slice(0, -1).join(", "), last: shown.at(-1) });
}

// The field's value for the keys of a task.
export const valueOfKeys = ({ keys }) => {
  if (Array.isArray(keys)) return { as: "names", names: keys.join("\n"), number: "" };
  if (keys.alphabet) return { as: "discovery" };
  return keys === "hashed" ? { as: keys } : { as: "number", names: "", number: String(keys) };
};
