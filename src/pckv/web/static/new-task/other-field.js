// Keys that a list misses: they are not taken, or all of them count as one more key, which has a name.
import { ChoiceField, TextField } from "../shared/form-fields.js";
import { t } from "../shared/language.js";
import { make } from "../shared/page.js";

const DEFAULT_NAME = t("other");

export class OtherField {
  constructor() {
    this.label = t("Answers that are not listed");
    this.as = new ChoiceField(
      this.label,
      [
        ["none", t("are not taken"), t("The survey's page does not ask for them.")],
        [
          "other",
          t("count as one more answer"),
          t("What they are stays with people. The result shows apart how many have something that your list misses."),
        ],
      ],
      { onchange: () => this.choose() },
    );
    this.name = new TextField(
      t("Its name"),
      make("input", { type: "text", autocomplete: "off", value: DEFAULT_NAME }),
      {
        missing: t("give the answer for all others a name"),
      },
    );
    this.element = make("div", {}, this.as.element, this.name.element);
    this.choose();
  }

  get isOn() {
    return this.as.value === "other";
  }

  get problem() {
    return this.isOn ? this.name.problem : this.as.problem;
  }

  get value() {
    return { as: this.as.value, name: this.name.value };
  }

  set value({ as = "none", name = DEFAULT_NAME } = {}) {
    this.name.value = name;
    this.as.value = as;
  }

  choose() {
    this.name.element.hidden = !this.isOn;
  }

  wrong() {
    return this.isOn ? this.name.wrong() : null;
  }

  validate() {
    return this.isOn ? this.name.validate() : true;
  }

  // As a task has it.
  other() {
    return this.isOn ? this.name.value : null;
  }
}

// The field's value for the key of a task that stands for all others.
export const valueOfOther = ({ other }) => (other === null ? {} : { as: "other", name: other });
