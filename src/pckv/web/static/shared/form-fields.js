// Fields of a form: a label, a hint, a value as text, and what is wrong with it, in plain words below it. A
// browser checks what the attributes of a control say; all other rules are the collector's, whose answer
// names the field.
import { isDisguised } from "./direction.js";
import { day, t } from "./language.js";
import { count, field, make } from "./page.js";

export const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? "" : "."}`;

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

  // What hides the control is opened first: disclosures here, a step by the form that has it.
  focus() {
    for (let around = this.control.closest("details"); around; around = around.parentElement.closest("details"))
      around.open = true;
    this.control.dispatchEvent(new Event("reveal", { bubbles: true }));
    this.control.focus();
  }
}

// What is wrong with a name that would be shown as another one.
export const DISGUISED = t(
  "this has a character that changes the direction of writing, which makes it look like another text",
);

// What the browser finds wrong with a control, in the words of the form; null for nothing.
function wrongWith({ validity, type, value, min, max, step }, missing) {
  const isWhole = validity.stepMismatch || (validity.badInput && step !== "any");
  if (validity.badInput && type === "date") return t("this is not a day");
  if (validity.badInput && !isWhole) return t("this is not a number");
  if (isWhole) return t("this must be a whole number, in digits alone, without points or commas");
  if (missing !== null && !value.trim()) return missing;
  if (isDisguised(value)) return DISGUISED;
  if (validity.valid) return null;
  if (type === "date") return t("this must be {day} or later", { day: day(min) });
  if (validity.rangeUnderflow) return t("this must be at least {number}", { number: count(Number(min)) });
  return t("this must be at most {number}", { number: count(Number(max)) });
}

// A text, a number or a day, whose control may have limits. `missing` is told where a value is required.
export class TextField {
  constructor(label, input, { hint, missing = null } = {}) {
    Object.assign(this, { label, input, missing });
    input.required = missing !== null;
    this.element = field(label, input, hint);
    this.problem = new FieldProblem(input);
    this.element.append(this.problem.element);
    input.addEventListener("change", () => this.validate());
    // A problem that is shown is checked again on every input; none is shown at the beginning of an input.
    input.addEventListener("input", () => this.problem.element.hidden || this.validate());
  }

  get value() {
    return this.input.value.trim().normalize();
  }

  set value(value) {
    this.input.value = typeof value === "string" ? value : "";
  }

  // What is wrong, without telling it.
  wrong() {
    return wrongWith(this.input, this.missing);
  }

  validate() {
    const wrong = this.wrong();
    this.problem.show(wrong);
    return !wrong;
  }
}

// A number from `min` on; a whole one unless its `step` is any.
export const numeric = (label, { hint, missing, ...limits }) =>
  new TextField(label, make("input", { type: "number", min: 1, ...limits }), { hint, missing });

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
    Object.assign(this, { label: legend, onchange, options });
  }

  // What is written beside an option.
  labelOf(value) {
    return this.options.find(([each]) => each === value)[1];
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
