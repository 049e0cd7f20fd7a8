// Fields of a form: a label, a hint, a value as text, and what is wrong with it, in plain words below it.
import { field, make } from "./page.js";

const sentence = (text) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? "" : "."}`;

// What is wrong with a control, told where it stands.
export class FieldProblem {
  constructor(control) {
    this.control = control;
    this.element = make("p", { class: "field-problem", id: `${control.id}-problem`, hidden: true });
  }

  show(problem) {
    this.element.hidden = !problem;
    this.element.textContent = problem ? sentence(problem) : "";
    this.control.setAttribute("aria-invalid", String(Boolean(problem)));
    const hint =
      this.control
        .getAttribute("aria-describedby")
        ?.split(" ")
        .filter((id) => id !== this.element.id) ?? [];
    this.control.setAttribute("aria-describedby", [...hint, ...(problem ? [this.element.id] : [])].join(" "));
  }

  focus() {
    const folded = this.control.closest("details");
    if (folded) folded.open = true;
    this.control.focus();
  }
}

// A text, a number or a day. `check` returns what is wrong with a value, or null.
export class TextField {
  constructor(label, input, { hint, check = () => null } = {}) {
    Object.assign(this, { label, input, check });
    this.element = field(label, input, hint);
    this.problem = new FieldProblem(input);
    this.element.append(this.problem.element);
    input.addEventListener("change", () => this.validate());
    // What was told is looked at again while it is corrected, and nothing is told while somebody begins to type.
    input.addEventListener("input", () => this.problem.element.hidden || this.validate());
  }

  get value() {
    return this.input.value.trim().normalize();
  }

  set value(value) {
    this.input.value = typeof value === "string" ? value : "";
  }

  // What is wrong, without telling it. Browsers give a field that holds no number or no whole day an empty value.
  wrong() {
    if (this.input.validity.badInput)
      return this.input.type === "date" ? "this is not a day" : "this is not a number";
    return this.check(this.value);
  }

  validate() {
    const wrong = this.wrong();
    this.problem.show(wrong);
    return !wrong;
  }
}

let groups = 0;

// One of a few options, all in sight; each is a value, a label and, where it needs one, an explanation.
export class ChoiceField {
  constructor(legend, options, { chosen = options[0][0], onchange = () => {} } = {}) {
    const name = `choice-${++groups}`;
    this.inputs = options.map(([value]) =>
      make("input", {
        type: "radio",
        name,
        value,
        checked: value === chosen,
        onchange: () => onchange(value),
      }),
    );
    const labels = options.map(([, label, explanation], place) =>
      make(
        "label",
        {},
        this.inputs[place],
        make("span", {}, label, explanation ? make("small", {}, explanation) : null),
      ),
    );
    const explained = options.some((option) => option.length > 2);
    this.element = make(
      "fieldset",
      {},
      make("legend", {}, legend),
      make("div", { class: explained ? "choices explained" : "choices" }, ...labels),
    );
    this.inputs[0].id = `${name}-first`;
    this.problem = new FieldProblem(this.inputs[0]);
    this.element.append(this.problem.element);
    Object.assign(this, { label: legend, onchange });
  }

  get value() {
    return this.inputs.find((input) => input.checked).value;
  }

  set value(value) {
    for (const input of this.inputs) if (input.value === value) input.checked = true;
    this.onchange(this.value);
  }

  wrong() {
    return null;
  }

  validate() {
    return true;
  }
}
