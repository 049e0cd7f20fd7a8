// The form for pairs, or for keys to tick: one row per key. A long list comes in pages, with a search; unlisted keys are
// written.
import { debounced, field, make, replace } from "../shared/page.js";
import { hasValues } from "../shared/task-words.js";
import { compareNames, say } from "./join-strings.js";
import { OwnKeys, takesAnyText } from "./own-keys.js";
import { OwnTexts } from "./own-texts.js";
import { TickRow } from "./tick-row.js";
import { nameOf, textOf } from "./texts.js";
import { ValueRow, hasMeanings, leavesOut, range } from "./value-row.js";

const MAX_LISTED = 30,
  ROWS_PER_PAGE = 10,
  MAX_COLLATED = 10_000;

// What keys there are to choose from; a page for unlisted keys has others too.
const listedCount = (task) => (takesAnyText(task) ? 0 : task.keyCount - (task.other !== null));

// The name of a key by its number; texts that are hashed have none.
export const keyName = ({ keys, other, otherIndex }, index) =>
  index === otherIndex ? other : Array.isArray(keys) ? keys[index] : String(index);

export class PairsForm {
  // What is called after every change.
  onchange = () => {};

  constructor(task) {
    this.task = task;
    this.rows = new Map();
    this.added = 0;
    this.limit = task.more === "refuse" ? task.padding : Infinity;
    this.isRated = hasValues(task);
    this.list = make("ul", { class: this.isRated ? "keys" : "keys ticks", "aria-label": say("list") });
    this.element = make("div", {}, make("p", { id: "instruction" }, this.instruction()), this.scaleNote());
    const count = listedCount(task);
    const Own = task.kind === "discovery" ? OwnTexts : OwnKeys;
    if (takesAnyText(task) || task.other !== null)
      this.own = new Own(
        task,
        () => this.added++,
        () => this.update(),
      );
    if (count > MAX_LISTED) {
      this.pages = new KeyPages(this);
      this.element.append(...this.pages.elements);
    } else if (count) {
      for (let index = 0; index < count; index++) this.list.append(this.row(keyName(task, index)).element);
      this.element.append(this.list);
    }
    if (this.own) this.element.append(this.own.element);
    this.element.append(this.noneField());
  }

  // Holding nothing is an answer too, but not one to be given by accident.
  noneField() {
    this.none = make("input", { type: "checkbox", onchange: () => this.none.checked && this.clear() });
    const text = say(listedCount(this.task) ? "none_of_these" : "none_written");
    return make("label", { class: "agree none" }, this.none, make("span", {}, text));
  }

  // The answers of the same form in another language.
  take({ chosenListed, own, none }) {
    for (const row of chosenListed) this.row(row.key).take(row);
    this.own?.take(own);
    this.none.checked = none.checked;
    if (this.pages) this.pages.show(0);
    else this.update();
  }

  clear() {
    for (const row of this.rows.values()) row.reset();
    this.own?.clear();
    if (this.pages) this.pages.show(0);
    else this.update();
  }

  // Whether there is an answer, or one that was begun.
  get isAnswered() {
    return this.chosen.length > 0 || this.none.checked || Boolean(this.own?.unfinished);
  }

  instruction() {
    const { padding, keyCount } = this.task,
      // What is measured in a unit is not rated.
      value = this.task.about.unit ? "choose_all" : "rate_all",
      [rated, ticked] = takesAnyText(this.task) ? ["write_all", "text_all"] : [value, "tick_all"],
      all = say(this.isRated ? rated : ticked);
    if (this.limit < Infinity) return say(this.isRated ? "choose_up_to" : "tick_up_to", { count: padding });
    return padding === keyCount ? all : `${all} ${say("choose_sampled", { count: padding })}`;
  }

  // What the ends and the middle mean, and what to do where a value is not offered; labels stand below the scales too.
  scaleNote() {
    if (!this.isRated) return null;
    const { unit } = this.task.about,
      sentences =
        unit || hasMeanings(this.task)
          ? [say(unit ? "values_unit" : "values", { range: range(this.task), unit: textOf(this.task, "unit") })]
          : [];
    if (leavesOut(this.task)) sentences.push(say("nearest"));
    if (this.task.levelValues.length === 2) sentences.push(say("two_levels"));
    return sentences.length ? make("p", { id: "scale-note" }, sentences.join(" ")) : null;
  }

  row(key) {
    if (!this.rows.has(key))
      this.rows.set(
        key,
        this.newRow(key, () => this.update()),
      );
    return this.rows.get(key);
  }

  newRow(key, onchange) {
    return this.isRated ? new ValueRow(this.task, key, this.added++, onchange) : new TickRow(this.task, key, onchange);
  }

  get chosenListed() {
    return [...this.rows.values()].filter((row) => row.chosen);
  }

  get chosen() {
    return [...this.chosenListed, ...(this.own?.rows.values() ?? [])];
  }

  // How many count against the limit: all that are not listed are one.
  get taken() {
    return this.chosenListed.length + (this.own?.taken ?? 0);
  }

  // Where the task takes no more pairs, what is not chosen cannot be chosen.
  update() {
    const full = this.taken >= this.limit;
    if (this.none && this.chosen.length) this.none.checked = false;
    for (const row of this.rows.values()) row.enable(row.chosen || !full);
    this.own?.enable(!full);
    this.pages?.count(this.chosenListed.length);
    this.onchange();
  }

  // How many are chosen, and of how many.
  countText() {
    const { limit, taken } = this,
      count = this.chosen.length;
    const full = this.isRated ? "chosen_full" : "ticked_full";
    if (!count && this.none.checked) return say("none_chosen");
    if (!count) return say(listedCount(this.task) ? "chosen_none" : "write_something");
    if (limit < Infinity) return say(taken < limit ? "chosen_of" : full, { count: taken, limit });
    return say("chosen", { count });
  }

  // A key that was chosen but has no value, or one that is out of range.
  missing() {
    return this.chosen.find((row) => row.value === null)?.key;
  }

  missingText(key) {
    const { low, high } = this.task;
    return say("missing", { key: nameOf(this.task, key), low, high });
  }

  focus(key) {
    const own = this.own?.rows.get(key);
    if (!own) this.pages?.showChosen(key);
    (own ?? this.rows.get(key)).focus();
  }

  // As the client takes it: keys with values, or keys alone.
  held() {
    if (!this.isRated) return new Set(this.chosen.map(({ key }) => key));
    return new Map(this.chosen.map(({ key, value }) => [key, value]));
  }
}

const firstLetter = (name) => {
  const [first] = String.fromCodePoint(name.codePointAt(0)).normalize("NFD").toLocaleUpperCase();
  return /\p{L}/u.test(first) ? first : "#";
};

// Very many names come in the order of their characters: that of a language would take seconds.
function inOrder(task) {
  const compare = task.keys.length > MAX_COLLATED ? (one, other) => (one < other ? -1 : 1) : compareNames;
  return [...task.keys].sort((one, other) => compare(nameOf(task, one), nameOf(task, other)));
}

// The keys of a long list: in the order of the alphabet, by search, or only those that were chosen.
class KeyPages {
  constructor(form) {
    const { keys } = form.task;
    this.form = form;
    this.nameOf = (key) => nameOf(form.task, key);
    // Numbered keys may be very many: they are not listed.
    this.all = Array.isArray(keys) ? inOrder(form.task) : { length: keys, at: String };
    this.first = 0;
    this.input = make("input", {
      type: "search",
      autocomplete: "off",
      oninput: debounced(() => this.show(0), 120),
      onkeydown: (event) => event.key === "Enter" && event.preventDefault(),
    });
    this.only = make("button", { type: "button", "aria-pressed": "false", onclick: () => this.toggle() });
    this.said = make("p", { class: "range", role: "status" });
    this.back = make("button", { type: "button", onclick: () => this.turn(-ROWS_PER_PAGE) }, say("previous"));
    this.forth = make("button", { type: "button", onclick: () => this.turn(ROWS_PER_PAGE) }, say("next"));
    this.count(0);
    const tools = [field(say("search"), this.input), this.letters(), make("div", { class: "buttons" }, this.only)];
    this.elements = [
      make("div", { class: "row browse" }, ...tools.filter(Boolean)),
      form.list,
      make("div", { class: "pager" }, this.back, this.said, this.forth),
    ];
    this.show(0);
  }

  letters() {
    if (!Array.isArray(this.all)) return null;
    const starts = new Map();
    this.all.forEach((key, index) => {
      const letter = firstLetter(this.nameOf(key));
      if (!starts.has(letter)) starts.set(letter, index);
    });
    if (starts.size < 2) return null;
    const options = Array.from(starts, ([letter, index]) => make("option", { value: index }, letter));
    this.select = make(
      "select",
      { onchange: () => this.jump() },
      make("option", { value: "" }, say("any_letter")),
      ...options,
    );
    return field(say("letter"), this.select);
  }

  jump() {
    const start = Number(this.select.value);
    this.input.value = "";
    this.only.setAttribute("aria-pressed", "false");
    this.show(start, true);
  }

  get isOnly() {
    return this.only.getAttribute("aria-pressed") === "true";
  }

  toggle(on = !this.isOnly) {
    this.only.setAttribute("aria-pressed", String(on));
    this.input.value = "";
    this.show(0);
  }

  turn(by) {
    this.show(this.first + by);
    // The button may be disabled now, which would lose the focus.
    this.form.list.querySelector("input:not(:disabled), button:not(:disabled)")?.focus({ preventScroll: true });
    this.form.element.scrollIntoView({ block: "nearest" });
  }

  names() {
    if (this.isOnly) return this.form.chosenListed.map((row) => row.key);
    const text = this.input.value.trim().toLocaleLowerCase();
    if (!text) return this.all;
    if (Array.isArray(this.all)) return this.all.filter((key) => this.nameOf(key).toLocaleLowerCase().includes(text));
    return /^\d+$/.test(text) && Number(text) < this.all.length ? [String(Number(text))] : [];
  }

  // The page that starts at a name; a letter's page starts with the letter.
  show(start, exactly = false) {
    const { form } = this,
      names = this.names(),
      count = names.length;
    this.first = Math.max(0, Math.min(start, count - 1));
    if (!exactly) this.first -= this.first % ROWS_PER_PAGE;
    const last = Math.min(count, this.first + ROWS_PER_PAGE),
      shown = Array.from({ length: last - this.first }, (_, place) => names.at(this.first + place));
    for (const [key, row] of form.rows) if (!row.chosen && !shown.includes(key)) form.rows.delete(key);
    replace(form.list, ...shown.map((key) => form.row(key).element));
    form.update();
    if (this.select && !exactly) this.select.value = "";
    this.back.disabled = this.first === 0;
    this.forth.disabled = last === count;
    const empty = this.isOnly ? "nothing_chosen_yet" : "nothing_found";
    this.said.textContent = count ? say("range", { first: this.first + 1, last, count }) : say(empty);
  }

  showChosen(key) {
    this.toggle(true);
    this.show(this.names().indexOf(key));
  }

  count(count) {
    this.only.textContent = say("only_chosen", { count });
  }
}
