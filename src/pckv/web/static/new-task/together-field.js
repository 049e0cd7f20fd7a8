// Whether it is also asked which keys people choose together.
import { FieldProblem } from "../shared/form-fields.js";
import { t } from "../shared/language.js";
import { count, make } from "../shared/page.js";

const MAX_KEYS = 500;

export class TogetherField {
  constructor() {
    this.label = t("Chosen together");
    this.input = make("input", { type: "checkbox", id: "together" });
    this.problem = new FieldProblem(this.input);
    const said = make(
      "span",
      {},
      t("Also learn which are chosen together"),
      make(
        "small",
        {},
        t(
          "For up to 500 answer options. The result then has the share of people who choose both of two answers, and which two are chosen together more or less often than by chance. All shares become less precise: the forecast says by how much.",
        ),
      ),
    );
    const choices = make("div", { class: "choices explained" }, make("label", {}, this.input, said));
    this.element = make("div", { class: "field" }, choices, this.problem.element);
    this.input.addEventListener("change", () => this.problem.show(null));
    // What else the form says that does not go with it.
    this.conflict = null;
  }

  get isOn() {
    return this.input.checked && !this.element.hidden;
  }

  get value() {
    return this.input.checked ? "yes" : "";
  }

  set value(value) {
    this.input.checked = value === "yes";
    this.problem.show(null);
  }

  // Of keys with values, and of texts that are not listed, nothing is asked together.
  update({ isOffered, keyCount, hasSegment, hasOther, isOneChoice }) {
    this.element.hidden = !isOffered;
    this.conflict =
      (hasSegment && t("compare groups, or learn what is chosen together: one survey cannot do both")) ||
      (hasOther && t("leave out the answer for all that are not listed: it has no partners")) ||
      (isOneChoice && t("people who make one choice have nothing together")) ||
      (keyCount === 1 && t("there must be at least two answer options")) ||
      (keyCount > MAX_KEYS && t("there are {number} answer options, of at most 500", { number: count(keyCount) })) ||
      null;
    if (!this.problem.element.hidden) this.validate();
  }

  wrong() {
    return this.isOn ? this.conflict : null;
  }

  validate() {
    const wrong = this.wrong();
    this.problem.show(wrong);
    return !wrong;
  }
}

// The field's value for a task.
export const valueOfTogether = ({ together }) => (together ? "yes" : "");
