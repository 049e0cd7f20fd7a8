// The scale of ratings: a usual one, or ends and levels of one's own.
import { line, row } from "./ask-fields.js";
import { ChoiceField, numeric } from "../shared/form-fields.js";
import { t } from "../shared/language.js";
import { make } from "../shared/page.js";
import { LevelsField } from "./levels-field.js";

const OWN = "own";
// The values of the other fields with each of the usual scales.
const SCALES = {
  stars: { low: "1", high: "5", levels: { as: "two" } },
  severity: { low: "1", high: "3", levels: { as: "number", number: "3" } },
  ten: { low: "0", high: "10", levels: { as: "two" } },
};

export class ScaleField {
  constructor() {
    const end = (label, value, missing) => numeric(label, { min: null, step: "any", value, missing });
    this.fields = {
      scale: new ChoiceField(
        t("Scale"),
        [
          ["stars", t("1 to 5")],
          ["severity", t("three steps (1 to 3)")],
          ["ten", t("0 to 10")],
          [OWN, t("Another scale")],
        ],
        { onchange: (chosen) => this.choose(chosen) },
      ),
      low: end(t("Lowest value"), 1, t("name the lowest value")),
      high: end(t("Highest value"), 5, t("name the highest value")),
      unit: line(t("Unit of the values"), t("Such as stars or minutes.")),
      low_label: line(t("Lowest value means"), null, { example: t("poor") }),
      middle_label: line(t("The middle means"), null, { example: t("fair") }),
      high_label: line(t("Highest value means"), null, { example: t("great") }),
      levels: new LevelsField(),
    };
    const { scale, low, high, unit, low_label: poor, middle_label: fair, high_label: great, levels } = this.fields;
    this.ends = row(low, high);
    this.own = make("div", {}, this.ends, levels.element);
    const labels = row(poor, fair, great);
    labels.classList.add("aligned");
    this.element = make("div", {}, scale.element, this.own, labels, unit.element);
    this.update();
  }

  choose(chosen) {
    const { low, high, levels } = this.fields,
      usual = SCALES[chosen];
    if (!usual) return;
    low.value = usual.low;
    high.value = usual.high;
    levels.value = usual.levels;
  }

  update() {
    const { scale, levels } = this.fields;
    this.own.hidden = scale.value !== OWN;
    this.ends.hidden = levels.isNamed;
    levels.explain();
  }

  // The fields that count.
  used() {
    const { low, high, levels } = this.fields;
    return levels.isNamed ? [levels] : [levels, low, high];
  }

  // As a plan and a task take them.
  values() {
    const { low, high, levels } = this.fields;
    return { ...levels.range(low.value, high.value), levels: levels.levels() };
  }
}

// The field's value for the scale of a task.
export function scaleOf({ low, high, levels }) {
  const same = ({ low: from, high: to, levels: { as, number = "2" } }) =>
    low === from && high === to && String(levels) === (as === "two" ? "2" : number);
  return Object.keys(SCALES).find((name) => same(SCALES[name])) ?? OWN;
}
