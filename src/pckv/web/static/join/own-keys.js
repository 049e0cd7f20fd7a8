// Unlisted keys: people write them, one by one, and give each a value if keys have any. They stay on the device.
import { announce, field, make, replace } from "../shared/page.js";
import { hasValues } from "../shared/task-words.js";
import { say } from "./join-strings.js";
import { nameOf } from "./texts.js";
import { WrittenRow } from "./tick-row.js";
import { ValueRow } from "./value-row.js";

const MAX_BYTES = 256;
const byteCount = (text) => new TextEncoder().encode(text).length;

// Whether there is no list: any text is a key, or a text to find.
export const takesAnyText = ({ keys, kind }) => keys === "hashed" || kind === "discovery";

// The listed key that a participant means, in any spelling, by either of its names.
function listedAs(task, text) {
  const { keys } = task;
  if (!Array.isArray(keys)) return /^\d+$/.test(text) && Number(text) < keys ? String(Number(text)) : undefined;
  const folded = text.toLocaleLowerCase(),
    isMeant = (name) => name.toLocaleLowerCase() === folded;
  return keys.find((key) => key === text) ?? keys.find((key) => isMeant(key) || isMeant(nameOf(task, key)));
}

// Chosen as long as it stands there, whether or not it has a value yet.
class OwnRow extends ValueRow {
  set(value) {
    super.set(value, true);
  }

  clear() {
    this.onremove();
  }
}

export class OwnKeys {
  // `place` gives every row its own number, and `onchange` is called after every change.
  constructor(task, place, onchange) {
    Object.assign(this, { task, place, onchange, rows: new Map(), anyText: takesAnyText(task) });
    // What was written before can be chosen again, until the page is left.
    this.before = make("datalist", { id: "own-before" });
    this.input = make("input", {
      type: "text",
      id: "own-key",
      autocomplete: "off",
      list: this.before.id,
      "aria-describedby": "own-hint own-problem",
      oninput: () => this.tell(),
      onkeydown: (event) => {
        if (event.key !== "Enter" || event.isComposing) return;
        event.preventDefault();
        this.add();
      },
    });
    this.button = make("button", { type: "button", onclick: () => this.add() }, say("own_add"));
    this.said = make("p", { id: "own-problem", class: "field-problem", role: "alert", hidden: true });
    this.list = make("ul", { class: "keys", "aria-label": say(this.anyText ? "list" : "own_list") });
    const named = field(say(this.anyText ? "own_name" : "own_else"), this.input),
      hint = make("small", { id: "own-hint" }, this.hint()),
      entry = make("div", { class: "row" }, named, make("div", { class: "buttons" }, this.button));
    this.element = make("div", { class: "own" }, entry, this.said, hint, this.before, this.list);
  }

  hint() {
    return say(this.anyText ? "own_spelling" : "own_stays");
  }

  // As a report counts them: where a list has one more key for all others, they are one.
  get taken() {
    return this.anyText ? this.rows.size : Math.min(1, this.rows.size);
  }

  // Another one takes no more room where all of them are one.
  enable(room) {
    this.input.disabled = this.button.disabled = !room && (this.anyText || !this.rows.size);
  }

  // What is written and was not added yet.
  get unfinished() {
    return this.input.disabled ? "" : this.input.value.trim();
  }

  tell(problem = "") {
    this.said.textContent = problem;
    this.said.hidden = !problem;
    this.input.setAttribute("aria-invalid", String(Boolean(problem)));
  }

  wrong(key) {
    const listed = this.anyText ? undefined : listedAs(this.task, key);
    if (!key) return say("own_empty");
    if (this.rows.has(key)) return say("own_again", { key });
    if (listed !== undefined) return say("own_listed", { key: nameOf(this.task, listed) });
    if (/[\p{Cc}\p{Cs}]/u.test(key)) return say("own_controls");
    const count = byteCount(key);
    return count > MAX_BYTES ? say("own_long", { count, most: MAX_BYTES }) : "";
  }

  add() {
    const key = this.input.value.trim().normalize(),
      problem = this.wrong(key);
    this.tell(problem);
    if (problem) return this.input.focus();
    this.input.value = "";
    this.show(key);
  }

  show(key) {
    if (hasValues(this.task)) return this.showRated(key);
    this.append(this.newRow(key));
    this.onchange();
    this.input.focus();
    announce(say("text_added", { key }));
  }

  showRated(key) {
    const row = this.newRow(key);
    this.append(row);
    row.set(null);
    row.focus();
    announce(say("own_added", { key }));
  }

  newRow(key) {
    const remove = () => this.remove(key);
    if (!hasValues(this.task)) return new WrittenRow(this.task, key, remove, this.note(key));
    return Object.assign(new OwnRow(this.task, key, this.place(), this.onchange), { onremove: remove });
  }

  // What was written in the same form in another language.
  take({ rows, input, before }) {
    for (const row of rows.values()) {
      const own = this.newRow(row.key);
      own.take?.(row);
      this.append(own);
    }
    this.input.value = input.value;
    this.before.append(...before.children);
  }

  append(row) {
    this.rows.set(row.key, row);
    this.list.append(row.element);
  }

  // Of a key that is written without a value, all counts.
  note() {
    return null;
  }

  remove(key) {
    this.drop(key);
    this.onchange();
    this.input.focus();
    announce(say("removed", { key }));
  }

  drop(key) {
    this.rows.get(key).element.remove();
    this.rows.delete(key);
    const known = [...this.before.children].filter((option) => option.value !== key);
    replace(this.before, make("option", { value: key }), ...known);
  }

  clear() {
    for (const key of [...this.rows.keys()]) this.drop(key);
    this.input.value = "";
    this.tell();
  }
}
