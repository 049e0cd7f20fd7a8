// One key with its value: a row of buttons, or a number. And how values are written.
import { announce, make } from "../shared/page.js";
import { anyOf, number, say } from "./join-strings.js";
import { languageOf, nameOf, named, textOf, written } from "./texts.js";

const MAX_BUTTONS = 10,
  // Buttons whose labels are longer together than this do not stand in one line on a phone.
  MAX_LINE_LETTERS = 24;

// Equally spaced levels may have endless decimals, of which few tell them apart.
function levelText({ levels, levelValues }, value) {
  const [first, second] = levelValues,
    decimals = Array.isArray(levels) ? 15 : Math.min(15, Math.max(0, 2 - Math.floor(Math.log10(second - first))));
  return number(Number(value.toFixed(decimals)));
}

// Whether only levels are taken, or the levels have their own values: those are what people choose from.
const offersLevels = ({ levels, between }) => Array.isArray(levels) || between === "refuse";

// Whether a value may lie between two that are offered: steps of 1, like stars, leave nothing out.
export const leavesOut = (task) =>
  offersLevels(task) && task.levelValues.some((value, place, values) => place && value - values[place - 1] !== 1);

// As its button has it, or as people write it.
const writtenValue = (task, value) => (offersLevels(task) ? levelText(task, value) : number(value));

const inUnit = (task, value) => (task.about.unit ? say("value_unit", { value, unit: textOf(task, "unit") }) : value);

export const valueText = (task, value) => inUnit(task, writtenValue(task, value));

// What several levels are worth, as a choice between them.
export const levelsText = (task, levels) =>
  inUnit(task, anyOf(levels.map((level) => levelText(task, task.levelValues[level]))));

// The values that have buttons: levels, or a few whole numbers; otherwise none.
function offered(task) {
  const { low, high, levelValues } = task;
  if (offersLevels(task)) return levelValues;
  if (!Number.isInteger(low) || !Number.isInteger(high) || high - low >= MAX_BUTTONS) return null;
  return Array.from({ length: high - low + 1 }, (_, step) => low + step);
}

// The middle one of an odd number of values that have buttons.
function middleOf(task) {
  const values = offered(task) ?? [];
  return values[(values.length - 1) / 2];
}

// Whether the middle of what has buttons is that of the scale: two named levels around it may be anywhere.
function isInMiddle(task) {
  const values = offered(task) ?? [task.low, task.high],
    [one, other] = [Math.floor, Math.ceil].map((round) => values[round((values.length - 1) / 2)]);
  return one === other || Math.abs(one + other - task.low - task.high) < (task.high - task.low) / 1e6;
}

// The ends of the values, and their middle where it has a name, with what they mean.
function meanings(task) {
  const middle = middleOf(task),
    fair = textOf(task, "middle_label"),
    meant = (value, label) => (label ? say("value_label", { value, label }) : value);
  return {
    low: meant(number(task.low), textOf(task, "low_label")),
    ...(fair && { middle: middle === undefined ? fair : meant(writtenValue(task, middle), fair) }),
    high: meant(number(task.high), textOf(task, "high_label")),
  };
}

export const hasMeanings = (task) => ["low_label", "middle_label", "high_label"].some((member) => textOf(task, member));

// "1 (mild) to 3 (severe), in the middle 2 (moderate)".
export function range(task) {
  const values = meanings(task);
  return say(values.middle ? "value_range_middle" : "value_range", values);
}

export class ValueRow {
  constructor(task, key, place, onchange) {
    Object.assign(this, { task, key, value: null, chosen: false, onchange });
    const values = offered(task);
    this.control = values ? new Scale(this, place, values) : new Measure(this);
    this.button = make(
      "button",
      {
        type: "button",
        class: "plain remove",
        "aria-label": say("remove", { key: nameOf(task, key) }),
        onclick: () => this.clear(),
      },
      "×",
    );
    this.button.disabled = true;
    this.element = make("li", {}, named(task, key, { class: "name" }), this.control.element, this.button);
  }

  // A value out of range is none, but its key stays chosen.
  set(value, chosen = value !== null) {
    this.mark(value, chosen);
    this.onchange();
  }

  mark(value, chosen) {
    Object.assign(this, { value, chosen });
    this.button.disabled = !chosen;
    this.element.classList.toggle("chosen", chosen);
  }

  clear() {
    this.reset();
    this.onchange();
    this.focus();
    announce(say("removed", { key: nameOf(this.task, this.key) }));
  }

  // The same row in another language.
  take({ control, value, chosen }) {
    this.control.take(control);
    this.mark(value, chosen);
  }

  reset() {
    this.control.clear();
    this.mark(null, false);
  }

  enable(enabled) {
    this.element.classList.toggle("unavailable", !enabled);
    for (const input of this.control.element.querySelectorAll("input")) input.disabled = !enabled;
  }

  focus() {
    this.control.element.querySelector("input").focus();
  }
}

const legend = ({ task, key }) => say("value_of", { key: nameOf(task, key), range: range(task) });

// What the ends and the middle mean, below their values; where values stand in several lines, with these values.
function labels(task, inLine = true) {
  if (!hasMeanings(task)) return null;
  const drawn = Object.entries(meanings(task)).filter(([name]) => name !== "middle" || !inLine || isInMiddle(task));
  const shown = drawn.map(([name, words]) => {
    const member = `${name}_label`;
    return inLine
      ? written("span", task, member)
      : make("span", { lang: languageOf(task, member), dir: "auto" }, words);
  });
  return make("div", { class: "labels", "aria-hidden": "true" }, ...shown);
}

// One radio button per value, drawn as a row of buttons; many stand in several lines, each with its own edge.
class Scale {
  constructor(row, place, values) {
    const { task } = row,
      texts = values.map((value) => writtenValue(task, value)),
      longest = Math.max(...texts.map(({ length }) => length)),
      inLine = values.length * longest <= MAX_LINE_LETTERS;
    this.inputs = values.map((value) =>
      make("input", { type: "radio", name: `value-${place}`, value, onchange: () => row.set(value) }),
    );
    const buttons = this.inputs.map((input, number) => make("label", {}, input, make("span", {}, texts[number])));
    const group = make(
      "fieldset",
      { class: inLine ? "scale" : "scale wrapped" },
      make("legend", { class: "hidden-text" }, legend(row)),
      ...buttons,
    );
    if (!inLine) group.style.gridTemplateColumns = `repeat(auto-fill, minmax(min(100%, ${longest + 2}ch), 1fr))`;
    this.element = make("div", { class: "control" }, group, labels(task, inLine));
  }

  take({ inputs }) {
    for (const [place, { checked }] of inputs.entries()) this.inputs[place].checked = checked;
  }

  clear() {
    for (const input of this.inputs) input.checked = false;
  }
}

// Any number: a box, and a slider that shows no value until one is given.
class Measure {
  constructor(row) {
    const { low, high } = row.task,
      { unit } = row.task.about;
    const limits = { min: low, max: high, step: "any" };
    Object.assign(this, { row, low, high });
    // A click where the slider stands already is a choice too.
    const slid = () => this.enter(this.rounded(this.range.valueAsNumber), this.range);
    const label = say("slider_of", { key: nameOf(row.task, row.key) });
    this.range = make("input", {
      type: "range",
      ...limits,
      "aria-label": label,
      oninput: slid,
      onclick: slid,
    });
    this.box = make("input", {
      type: "number",
      ...limits,
      "aria-label": legend(row),
      oninput: () => this.enter(this.box.valueAsNumber, this.box),
    });
    this.clear();
    const slider = make("div", { class: "slider" }, this.range, labels(row.task));
    this.element = make(
      "div",
      { class: "control measure" },
      slider,
      this.box,
      unit ? written("span", row.task, "unit") : null,
    );
  }

  // What is no number yet stays in the box.
  take({ box, range, row }) {
    this.box.value = box.value;
    this.box.setAttribute("aria-invalid", box.getAttribute("aria-invalid"));
    if (row.value === null) return;
    this.range.value = range.value;
    this.touch(row.value);
  }

  // The slider gives steps that a person would choose, at least 50 of them.
  rounded(value) {
    const step = 10 ** Math.floor(Math.log10((this.high - this.low) / 50));
    const near = Number((Math.round(value / step) * step).toPrecision(12));
    return Math.min(this.high, Math.max(this.low, near));
  }

  enter(value, from) {
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
