// The form for pairs: a list of few keys, a search among many; stars or a slider for the value.
import { announce, count, field, make, replace, debounced } from "./page.js";

const MAX_LISTED = 30,
  MAX_FOUND = 8,
  MAX_STARS = 10;

export class PairsForm {
  constructor(task) {
    this.task = task;
    this.rows = new Map();
    this.added = 0;
    this.limit = task.more === "refuse" ? task.padding : Infinity;
    this.list = make("ul", { class: "keys", "aria-label": "Answers" });
    this.chosen = make("p", { id: "chosen", role: "status", hidden: this.limit === Infinity });
    this.element = make("div", {}, make("p", { id: "instruction" }, this.instruction()), this.chosen);
    if (this.isListed()) {
      for (let index = 0; index < task.keyCount; index++) this.add(this.name(index));
    } else {
      this.element.append(this.searchField());
    }
    this.element.append(this.list);
    this.update();
  }

  isListed() {
    return this.task.keyCount <= MAX_LISTED;
  }

  instruction() {
    const { padding, keyCount } = this.task;
    if (this.limit < Infinity)
      return padding === 1
        ? "Choose one that applies to you, if any does, and give it a value. If more apply to you, choose any one of them."
        : `Choose up to ${count(padding)} that apply to you, and give each a value. If more apply to you, choose any ${count(padding)} of them.`;
    const all = this.isListed()
      ? "Give a value to all that apply to you, and leave out the others."
      : "Add all that apply to you, and give each a value.";
    if (padding === keyCount) return all;
    const number = padding === 1 ? "one" : count(padding);
    return `${all} If there are more than ${number}, this device picks ${number} of them at random for your report.`;
  }

  name(index) {
    return this.task.keys[index] ?? String(index);
  }

  // Where the task takes no more pairs, what is not chosen cannot be chosen.
  update() {
    if (this.limit === Infinity) return;
    const rows = [...this.rows.values()],
      chosen = rows.filter((row) => row.chosen).length,
      full = chosen >= this.limit;
    for (const row of rows) row.enable(row.chosen || !full);
    for (const button of this.element.querySelectorAll(".found button")) button.disabled = full;
    const most = `${count(chosen)} of ${count(this.limit)} chosen.`;
    this.chosen.textContent = full ? `${most} To choose another, remove one first.` : most;
  }

  add(key, removable = false) {
    if (this.rows.has(key)) return this.rows.get(key);
    const row = new ValueRow(this.task, key, this.added++, {
      remove: removable ? () => this.remove(key) : null,
      onchange: () => this.update(),
    });
    this.rows.set(key, row);
    this.list.append(row.element);
    this.update();
    return row;
  }

  remove(key) {
    this.rows.get(key).element.remove();
    this.rows.delete(key);
    this.update();
    announce(`${key} removed.`);
    this.input.focus();
  }

  searchField() {
    const found = make("ul", { class: "keys found", "aria-label": "Found" }),
      said = make("p", { role: "status" });
    this.input = make("input", {
      type: "search",
      autocomplete: "off",
      oninput: debounced(() => search(), 120),
      onkeydown: ignoreEnter,
    });
    const search = () => {
      const text = this.input.value.trim().toLowerCase(),
        names = text ? this.matches(text) : [];
      replace(found, ...names.slice(0, MAX_FOUND).map(item));
      this.update();
      said.textContent = !text
        ? `${count(this.task.keyCount)} to choose from.`
        : names.length > MAX_FOUND
          ? `The first ${MAX_FOUND} are shown; type more to see the others.`
          : names.length
            ? `${count(names.length)} found.`
            : "Nothing found.";
    };
    const choose = (key) => {
      const row = this.add(key, true);
      this.input.value = "";
      search();
      row.focus();
      announce(`${key} added.`);
    };
    const item = (key) =>
      make(
        "li",
        {},
        make("span", { class: "name" }, key),
        make("button", { type: "button", "aria-label": `Add ${key}`, onclick: () => choose(key) }, "Add"),
      );
    function ignoreEnter(event) {
      if (event.key === "Enter") event.preventDefault();
    }
    search();
    return make("div", {}, field("Search for what applies to you", this.input), said, found);
  }

  // Up to one more than is shown, which tells that there are more.
  matches(text) {
    const { keys, keyCount } = this.task;
    if (!Array.isArray(keys)) return /^\d+$/.test(text) && Number(text) < keyCount ? [String(Number(text))] : [];
    const found = [];
    for (const key of keys) {
      if (key.toLowerCase().includes(text) && found.push(key) > MAX_FOUND) break;
    }
    return found;
  }

  // A key that was chosen but has no value, or one that is out of range.
  missing() {
    return [...this.rows.values()].find((row) => row.chosen && row.value === null)?.key;
  }

  focus(key) {
    this.rows.get(key).focus();
  }

  pairs() {
    return new Map([...this.rows.values()].filter((row) => row.value !== null).map((row) => [row.key, row.value]));
  }
}

class ValueRow {
  constructor(task, key, number, { remove, onchange }) {
    const removable = remove !== null;
    Object.assign(this, { task, key, value: null, removable, chosen: removable, onchange });
    const steps = task.high - task.low + 1;
    const whole = Number.isInteger(task.low) && Number.isInteger(task.high) && steps <= MAX_STARS;
    this.control = whole ? new Stars(this, number) : new Slider(this);
    const clear = () => (remove ? remove() : this.control.clear());
    this.button = make(
      "button",
      { type: "button", class: "plain", "aria-label": `Remove ${key}`, hidden: !remove, onclick: clear },
      "Remove",
    );
    this.element = make(
      "li",
      {},
      make("span", { class: "name" }, key),
      make("div", { class: "row" }, this.control.element, this.button),
    );
  }

  // A value out of range is none, but its key stays chosen.
  set(value) {
    this.value = value;
    this.chosen = this.removable || value !== null;
    if (!this.removable) this.button.hidden = value === null;
    this.onchange();
  }

  enable(enabled) {
    this.element.classList.toggle("unavailable", !enabled);
    for (const control of this.control.element.querySelectorAll("input, button")) control.disabled = !enabled;
  }

  focus() {
    this.control.element.querySelector("input, button").focus();
  }
}

// Whole numbers: one radio button per value, drawn as stars if the lowest is 1.
class Stars {
  constructor(row, number) {
    const { low, high } = row.task;
    this.row = row;
    this.labels = [];
    for (let value = low; value <= high; value++) {
      const input = make("input", {
        type: "radio",
        name: `value-${number}`,
        value,
        "aria-label": `${value}`,
        onchange: () => this.light(value),
      });
      this.labels.push(
        make("label", {}, input, make("span", { "aria-hidden": "true" }, low === 1 ? "★" : String(value))),
      );
    }
    this.element = make(
      "fieldset",
      { class: low === 1 ? "stars" : "stars numerals" },
      make("legend", { class: "hidden-text" }, `${row.key}, from ${low} to ${high}`),
      ...this.labels,
    );
  }

  light(value) {
    this.row.set(value);
    const { low } = this.row.task;
    this.labels.forEach((label, place) =>
      label.classList.toggle("lit", value !== null && (low === 1 ? low + place <= value : low + place === value)),
    );
  }

  clear() {
    for (const label of this.labels) label.querySelector("input").checked = false;
    this.light(null);
    this.labels[0].querySelector("input").focus();
  }
}

// Any number: a slider and a box that follow each other, shown once the key is given a value.
class Slider {
  constructor(row) {
    this.row = row;
    this.element = make("div", { class: "slider" });
    this.offer();
  }

  clear() {
    this.row.set(null);
    this.offer().focus();
  }

  offer() {
    const start = make(
      "button",
      { type: "button", "aria-label": `Give ${this.row.key} a value`, onclick: () => this.start() },
      "Give a value",
    );
    replace(this.element, start);
    return start;
  }

  start() {
    const { low, high } = this.row.task,
      middle = (low + high) / 2;
    const range = make("input", {
      type: "range",
      min: low,
      max: high,
      step: "any",
      value: middle,
      "aria-label": `${this.row.key}, slider`,
      oninput: () => follow(range.valueAsNumber, box),
    });
    const box = make("input", {
      type: "number",
      min: low,
      max: high,
      step: "any",
      value: middle,
      "aria-label": `${this.row.key}, from ${low} to ${high}`,
      oninput: () => follow(box.valueAsNumber, range),
    });
    const follow = (value, other) => {
      const valid = value >= low && value <= high,
        rounded = Math.min(high, Math.max(low, Number(value.toPrecision(4))));
      box.setAttribute("aria-invalid", String(!valid));
      // The value is what the box shows.
      this.row.value = !valid ? null : other === box ? rounded : value;
      if (valid) other.value = other === box ? rounded : value;
    };
    replace(this.element, range, box);
    this.row.set(middle);
    range.focus();
  }
}
