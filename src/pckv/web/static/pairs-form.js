// The form for pairs: one row per key with a row of buttons or a number. A long list comes in pages, with a search.
import { announce, debounced, field, make, replace } from "./page.js";
import { anyOf, compareNames, number, say } from "./join-strings.js";

const MAX_LISTED = 30,
  ROWS_PER_PAGE = 10,
  MAX_COLLATED = 10_000,
  MAX_BUTTONS = 10,
  // Buttons whose labels are longer together than this do not stand in one line on a phone.
  MAX_LINE_LETTERS = 24;

// What an end of the range means, like "5 (great)", and a value in its unit.
const endText = (value, label) => (label ? say("value_label", { value, label }) : number(value));

// Equally spaced levels may have endless decimals, of which few tell them apart.
function levelText({ levels, levelValues }, value) {
  const [first, second] = levelValues,
    decimals = Array.isArray(levels) ? 15 : Math.min(15, Math.max(0, 2 - Math.floor(Math.log10(second - first))));
  return number(Number(value.toFixed(decimals)));
}

// Whether only levels are taken, or the levels have values of their own: those are what people choose from.
const offersLevels = ({ levels, between }) => Array.isArray(levels) || between === "refuse";

// Whether somebody's value may lie between two that are offered: steps of 1, like stars, leave nothing out.
const leavesOut = (task) => offersLevels(task) && task.levelValues.some((value, place, values) => place && value - values[place - 1] !== 1);

const inUnit = ({ about: { unit } }, value) => (unit ? say("value_unit", { value, unit }) : value);

export const valueText = (task, value) => inUnit(task, offersLevels(task) ? levelText(task, value) : number(value));

// What several levels are worth, as a choice between them.
export const levelsText = (task, levels) => inUnit(task, anyOf(levels.map((level) => levelText(task, task.levelValues[level]))));

const ends = ({ low, high, about }) => ({ low: endText(low, about.low_label), high: endText(high, about.high_label) });

export class PairsForm {
  // What is called after every change.
  onchange = () => {};

  constructor(task) {
    this.task = task;
    this.rows = new Map();
    this.added = 0;
    this.limit = task.more === "refuse" ? task.padding : Infinity;
    this.list = make("ul", { class: "keys", "aria-label": say("list") });
    this.element = make("div", {}, make("p", { id: "instruction" }, this.instruction()), this.scaleNote());
    if (task.keyCount <= MAX_LISTED) {
      for (let index = 0; index < task.keyCount; index++) this.list.append(this.row(keyName(task, index)).element);
      this.element.append(this.list);
    } else {
      this.pages = new KeyPages(this);
      this.element.append(...this.pages.elements);
    }
  }

  instruction() {
    const { padding, keyCount } = this.task;
    if (this.limit < Infinity) return say("choose_up_to", { count: padding });
    return padding === keyCount ? say("choose_all") : `${say("choose_all")} ${say("choose_sampled", { count: padding })}`;
  }

  // What the ends mean, and what to do where a value is not offered; labels stand below the scales too.
  scaleNote() {
    const { unit, low_label, high_label } = this.task.about,
      sentences = unit || low_label || high_label ? [say(unit ? "values_unit" : "values", { ...ends(this.task), unit })] : [];
    if (leavesOut(this.task)) sentences.push(say("nearest"));
    return sentences.length ? make("p", { id: "scale-note" }, sentences.join(" ")) : null;
  }

  row(key) {
    if (!this.rows.has(key)) this.rows.set(key, new ValueRow(this.task, key, this.added++, () => this.update()));
    return this.rows.get(key);
  }

  get chosen() {
    return [...this.rows.values()].filter((row) => row.chosen);
  }

  // Where the task takes no more pairs, what is not chosen cannot be chosen.
  update() {
    const count = this.chosen.length,
      full = count >= this.limit;
    for (const row of this.rows.values()) row.enable(row.chosen || !full);
    this.pages?.count(count);
    this.onchange();
  }

  // How many are chosen, and of how many.
  countText() {
    const count = this.chosen.length,
      { limit } = this;
    if (limit < Infinity) return say(count < limit ? "chosen_of" : "chosen_full", { count, limit });
    return count ? say("chosen", { count }) : say("chosen_none");
  }

  // A key that was chosen but has no value, or one that is out of range.
  missing() {
    return this.chosen.find((row) => row.value === null)?.key;
  }

  missingText(key) {
    const { low, high } = this.task;
    return say("missing", { key, low, high });
  }

  focus(key) {
    this.pages?.showChosen(key);
    this.rows.get(key).focus();
  }

  pairs() {
    return new Map(this.chosen.map((row) => [row.key, row.value]));
  }
}

const keyName = (task, index) => task.keys[index] ?? String(index);

const firstLetter = (name) => {
  const [first] = String.fromCodePoint(name.codePointAt(0)).normalize("NFD").toLocaleUpperCase();
  return /\p{L}/u.test(first) ? first : "#";
};

// Very many names come in the order of their characters: that of a language would take seconds.
const sorted = (names) => [...names].sort(names.length > MAX_COLLATED ? undefined : compareNames);

// The keys of a long list: in the order of the alphabet, by search, or only those that were chosen.
class KeyPages {
  constructor(form) {
    const { keys, keyCount } = form.task;
    this.form = form;
    // Numbered keys may be very many: they are not listed.
    this.all = Array.isArray(keys) ? sorted(keys) : { length: keyCount, at: String };
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
    this.all.forEach((name, index) => {
      const letter = firstLetter(name);
      if (!starts.has(letter)) starts.set(letter, index);
    });
    if (starts.size < 2) return null;
    const options = Array.from(starts, ([letter, index]) => make("option", { value: index }, letter));
    this.select = make("select", { onchange: () => this.jump() }, make("option", { value: "" }, say("any_letter")), ...options);
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
    if (this.isOnly) return this.form.chosen.map((row) => row.key);
    const text = this.input.value.trim().toLocaleLowerCase();
    if (!text) return this.all;
    if (Array.isArray(this.all)) return this.all.filter((name) => name.toLocaleLowerCase().includes(text));
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

// The values that have buttons: levels, or a few whole numbers; otherwise none.
function offered(task) {
  const { low, high, levelValues } = task;
  if (offersLevels(task)) return levelValues;
  if (!Number.isInteger(low) || !Number.isInteger(high) || high - low >= MAX_BUTTONS) return null;
  return Array.from({ length: high - low + 1 }, (_, step) => low + step);
}

class ValueRow {
  constructor(task, key, place, onchange) {
    Object.assign(this, { task, key, value: null, chosen: false, onchange });
    const values = offered(task);
    this.control = values ? new Scale(this, place, values) : new Measure(this);
    this.button = make(
      "button",
      { type: "button", class: "plain remove", "aria-label": say("remove", { key }), onclick: () => this.clear() },
      "×",
    );
    this.button.disabled = true;
    this.element = make("li", {}, make("span", { class: "name" }, key), this.control.element, this.button);
  }

  // A value out of range is none, but its key stays chosen.
  set(value, chosen = value !== null) {
    Object.assign(this, { value, chosen });
    this.button.disabled = !chosen;
    this.element.classList.toggle("chosen", chosen);
    this.onchange();
  }

  clear() {
    this.control.clear();
    this.set(null);
    this.focus();
    announce(say("removed", { key: this.key }));
  }

  enable(enabled) {
    this.element.classList.toggle("unavailable", !enabled);
    for (const input of this.control.element.querySelectorAll("input")) input.disabled = !enabled;
  }

  focus() {
    this.control.element.querySelector("input").focus();
  }
}

const legend = ({ task, key }) => say("value_of", { key, ...ends(task) });

const endLabels = ({ about: { low_label, high_label } }) =>
  low_label || high_label
    ? make("div", { class: "ends", "aria-hidden": "true" }, make("span", {}, low_label), make("span", {}, high_label))
    : null;

// One radio button per value, drawn as a row of buttons; in several lines, each with its own edge, if they are many.
class Scale {
  constructor(row, place, values) {
    const { task } = row,
      texts = values.map((value) => (offersLevels(task) ? levelText(task, value) : number(value))),
      longest = Math.max(...texts.map(({ length }) => length)),
      inLine = values.length * longest <= MAX_LINE_LETTERS;
    this.inputs = values.map((value) => make("input", { type: "radio", name: `value-${place}`, value, onchange: () => row.set(value) }));
    const labels = this.inputs.map((input, number) => make("label", {}, input, make("span", {}, texts[number])));
    const group = make("fieldset", { class: inLine ? "scale" : "scale wrapped" }, make("legend", { class: "hidden-text" }, legend(row)), ...labels);
    if (!inLine) group.style.gridTemplateColumns = `repeat(auto-fill, minmax(min(100%, ${longest + 2}ch), 1fr))`;
    this.element = make("div", { class: "control" }, group, inLine ? endLabels(task) : null);
  }

  clear() {
    for (const input of this.inputs) input.checked = false;
  }
}

// Any number: a box, and a slider that shows no value until somebody gives one.
class Measure {
  constructor(row) {
    const { low, high } = row.task,
      { unit } = row.task.about;
    const limits = { min: low, max: high, step: "any" };
    Object.assign(this, { row, low, high });
    // A click where the slider stands already is a choice too.
    const slid = () => this.take(this.rounded(this.range.valueAsNumber), this.range);
    const label = say("slider_of", { key: row.key });
    this.range = make("input", { type: "range", ...limits, "aria-label": label, oninput: slid, onclick: slid });
    this.box = make("input", {
      type: "number",
      ...limits,
      "aria-label": legend(row),
      oninput: () => this.take(this.box.valueAsNumber, this.box),
    });
    this.clear();
    const slider = make("div", { class: "slider" }, this.range, endLabels(row.task));
    this.element = make("div", { class: "control measure" }, slider, this.box, unit ? make("span", {}, unit) : null);
  }

  // The slider gives steps that a person would choose, at least 50 of them.
  rounded(value) {
    const step = 10 ** Math.floor(Math.log10((this.high - this.low) / 50));
    const near = Number((Math.round(value / step) * step).toPrecision(12));
    return Math.min(this.high, Math.max(this.low, near));
  }

  take(value, from) {
    const empty = from === this.box && Number.isNaN(value) && !this.box.validity.badInput,
      valid = value >= this.low && value <= this.high;
    this.box.setAttribute("aria-invalid", String(!valid && !empty));
    if (empty) {
      this.untouch();
    } else if (valid) {
      if (from === this.range) this.box.value = value;
      else this.range.value = value;
      this.touch(value);
    }
    this.row.set(valid ? value : null, !empty);
  }

  touch(value) {
    this.range.classList.remove("untouched");
    this.range.setAttribute("aria-valuetext", valueText(this.row.task, value));
  }

  untouch() {
    this.range.value = (this.low + this.high) / 2;
    this.range.classList.add("untouched");
    this.range.setAttribute("aria-valuetext", say("no_value"));
  }

  clear() {
    this.box.value = "";
    this.box.setAttribute("aria-invalid", "false");
    this.untouch();
  }
}
