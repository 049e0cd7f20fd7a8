// Keys without values: one to tick, or one that a participant wrote, which can be removed.
import { make } from "../shared/page.js";
import { say } from "./join-strings.js";

// In place of a row with a value.
export class TickRow {
  constructor(key, onchange) {
    this.key = key;
    this.input = make("input", { type: "checkbox", onchange: () => this.show(onchange) });
    this.element = make("li", { class: "tick" }, make("label", {}, this.input, make("span", { class: "name" }, key)));
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
}

// What was written, and a note on what of it counts.
export class WrittenRow {
  constructor(key, onremove, note = null) {
    const button = make(
      "button",
      { type: "button", class: "plain remove", "aria-label": say("remove", { key }), onclick: onremove },
      "×",
    );
    this.key = key;
    this.element = make("li", { class: "chosen text" }, make("span", { class: "name" }, key), note, button);
  }
}
