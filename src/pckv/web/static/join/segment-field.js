// One more question with one answer, such as an age group: it is part of the same report, and hidden in it as well.
import { make } from "../shared/page.js";
import { say } from "./join-strings.js";
import { labelNamed, textOf, written } from "./texts.js";

export class SegmentField {
  // Nothing is preselected: what is given by accident would count as an answer.
  constructor(task) {
    this.name = textOf(task, "segment_name");
    // Reports use the task's own labels.
    this.inputs = task.segment.labels.map((label) =>
      make("input", { type: "radio", name: "segment", value: label, required: true }),
    );
    const options = this.inputs.map((input) => make("label", {}, input, labelNamed(task, input.value)));
    this.element = make(
      "fieldset",
      { id: "segment" },
      make("legend", {}, written("bdi", task, "segment_name")),
      make("p", {}, say("segment_note")),
      make("div", { class: "options" }, ...options),
    );
  }

  get label() {
    return this.inputs.find(({ checked }) => checked)?.value;
  }

  take({ inputs }) {
    for (const [place, { checked }] of inputs.entries()) this.inputs[place].checked = checked;
  }

  // What is to be done before a report can be made, and how to get there.
  complaint() {
    if (this.label !== undefined) return null;
    return [say("segment_missing", { name: this.name }), () => this.inputs[0].focus()];
  }
}
