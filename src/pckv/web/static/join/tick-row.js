// Keys without values: one to tick, or one that a participant wrote, which can be removed.
import { make } from "../shared/page.js";
import { say } from "./join-strings.js";
import { named } from "./texts.js";

// In place of a row with a value.
export class TickRow {
  constructor(task, key, onchange) {
    this.key = key;
    this.input = make("input", { type: "checkbox", onchange: () => this.show(onchange) });
    const name = named(task, key, { class: "name" });
    this.element = make("li", { class: "tick" }, make("label", {}, this.input, name));
  }

  get chosen() {
    return this.input.checked;
  }

  show(onchange) {
    this.element.classList.toggle("chosen", this.chosen);
    onchange();
  }

  enable(enabled) {
    this.element.classList.toggle("unavailable", !enabled);
    this.input.disabled = !enabled;
  }

  focus() {
    this.input.focus();
  }

  // The same row in another language.
  take({ chosen }) {
    this.input.checked = chosen;
    this.element.classList.toggle("chosen", chosen);
  }

  reset() {
    this.input.checked = false;
    this.element.classList.remove("chosen");
  }
}

// What was written, and a note on what of it counts.
export class WrittenRow {
  constructor(task, key, onremove, note = null) {
    const button = make(
      "button",
      { type: "button", class: "plain remove", "aria-label": say("remove", { key }), onclick: onremove },
      "×",
    );
    this.key = key;
    this.element = make("li", { class: "chosen text" }, named(task, key, { class: "name" }), note, button);
  }
}
