// The levels that values are reported as: two, several in equal steps, or named ones.
import { ChoiceField, numeric, TextField } from "../shared/form-fields.js";
import { t } from "../shared/language.js";
import { make } from "../shared/page.js";

const MIN_LEVELS = 2,
  MAX_LEVELS = 16;

const named = (text) => text.split(/[\s,;]+/).filter(Boolean);

export class LevelsField {
  constructor() {
    this.label = t("Levels");
    this.number = numeric(t("Number of levels"), {
      value: 5,
      min: MIN_LEVELS,
      max: MAX_LEVELS,
      hint: t("From 2 to 16, the lowest and the highest value included."),
      missing: t("say how many levels there are"),
    });
    this.names = new TextField(
      t("Values, from the lowest to the highest"),
      make("input", { type: "text", autocomplete: "off", placeholder: "1, 2, 3, 4, 5" }),
      { hint: t("Separated by commas."), missing: t("name the values, such as 1, 2, 3") },
    );
    this.between = new ChoiceField(t("A value between two levels"), [
      [
        "refuse",
        t("is not taken"),
        t("The page of participants offers the levels as buttons; an app has to do the same."),
      ],
      [
        "round",
        t("is rounded"),
        t("To one of the two at random, which keeps averages unbiased; medians are interpolated."),
      ],
    ]);
    this.as = new ChoiceField(
      t("A response tells a value as"),
      [
        ["two", t("low or high"), t("Enough for averages, and the most precise.")],
        [
          "number",
          t("one of several levels"),
          t("In equal steps: the result then has the share of each level, medians, and how far values spread."),
        ],
        [
          "named",
          t("one of the values that you name"),
          t("The same, with steps of any size. The page of participants offers these values as buttons."),
        ],
      ],
      { onchange: () => this.choose() },
    );
    this.cost = make("p", { class: "aside", role: "status" });
    this.element = make(
      "div",
      {},
      this.as.element,
      this.number.element,
      this.names.element,
      this.between.element,
      this.cost,
    );
    this.choose();
  }

  get chosen() {
    return { number: this.number, names: this.names }[this.kind] ?? this.as;
  }

  get kind() {
    return { two: "two", number: "number", named: "names" }[this.as.value];
  }

  get problem() {
    return this.chosen.problem;
  }

  get isNamed() {
    return this.as.value === "named";
  }

  get value() {
    return {
      as: this.as.value,
      number: this.number.value,
      names: this.names.value,
      between: this.between.value,
    };
  }

  set value({ as = "two", number: many = "5", names = "", between = "refuse" } = {}) {
    this.number.value = many;
    this.names.value = names;
    this.between.value = between;
    this.as.value = as;
  }

  choose() {
    const { value } = this.as;
    this.number.element.hidden = value !== "number";
    this.names.element.hidden = value !== "named";
    this.between.element.hidden = value === "two";
  }

  wrong() {
    return this.chosen.wrong();
  }

  validate() {
    return this.chosen.validate();
  }

  // As a task has them.
  levels() {
    if (this.isNamed) return named(this.names.value);
    return this.as.value === "two" ? MIN_LEVELS : Number(this.number.value);
  }

  // The ends of the range, where the values name them.
  range(low, high) {
    const values = this.isNamed ? named(this.names.value) : [low, high];
    return { low: values[0] ?? "", high: values.at(-1) ?? "" };
  }

  // What was chosen for more levels does not hold for two.
  rule() {
    return this.as.value === "two" ? "round" : this.between.value;
  }

  // What more than two cost, in words: in numbers it depends on the rest of the form.
  explain() {
    const levels = this.wrong() ? MIN_LEVELS : this.levels(),
      count = levels.length ?? levels;
    const text =
      count > MIN_LEVELS
        ? t(
            "With {count} levels you see how many people give each of them. In return shares of people, and often averages, become less precise than with two, the more levels the less: the forecast says by how much.",
            { count },
          )
        : "";
    if (this.cost.textContent !== text) this.cost.textContent = text;
  }
}

// The field's value for the levels of a task.
export const valueOfLevels = ({ levels, between }) => {
  const list = Array.isArray(levels),
    as = list ? "named" : levels === MIN_LEVELS && between === "round" ? "two" : "number";
  return { as, between, ...(list ? { names: levels.join(", ") } : { number: String(levels) }) };
};
