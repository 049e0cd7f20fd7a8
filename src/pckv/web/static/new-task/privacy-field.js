// How private a task is: three presets and any other ε, each explained by odds.
import { ChoiceField, numeric } from "../shared/form-fields.js";
import { make } from "../shared/page.js";

const PRESETS = [
  ["1", "Strong"],
  ["2", "Balanced"],
  ["3", "Light"],
];
const LEGEND = "How well answers are hidden",
  MIXED_LEGEND =
    "How well answers are hidden from you, if the mixer follows the protocol and enough reports are honest",
  OTHER = "other",
  MAX_EPSILON = 20,
  // What devices spend at most, by default; and the ratio from which protection is called weak.
  DEFAULT_CAP = 10,
  WEAK_RATIO = 50,
  CERTAIN = 0.995;

// What an ε means: by how much a report can change a belief, at most.
export function odds(epsilon) {
  const times = Math.exp(epsilon),
    right = times / (1 + times),
    shown = Number(times.toPrecision(2)).toLocaleString("en");
  const guess =
    right > CERTAIN ? "is then all but certain" : `is then right in at most ${Math.round(100 * right)} of 100 cases`;
  const weak = times > WEAK_RATIO ? " This is weak protection." : "";
  return `Someone who sees a report is at most about ${shown} times surer of an answer than before: a fifty-fifty guess ${guess}.${weak}`;
}

export class PrivacyField {
  constructor() {
    this.label = "ε";
    this.meaning = make("p", { class: "aside" });
    this.warning = make("p", { class: "note", role: "status", hidden: true });
    this.other = numeric("ε", {
      step: "any",
      min: 0,
      max: MAX_EPSILON,
      hint: "Above 0 and at most 20; smaller is more private.",
      missing: "choose an ε",
    });
    this.custom = make("div", {}, this.other.element, this.meaning, this.warning);
    this.preset = new ChoiceField(
      LEGEND,
      [
        ...PRESETS.map(([epsilon, name]) => [epsilon, `${name} (ε = ${epsilon})`, odds(Number(epsilon))]),
        [OTHER, "Another value", "For those who know what ε they want."],
      ],
      { chosen: "2", onchange: (chosen) => this.choose(chosen) },
    );
    this.element = make("div", { class: "presets" }, this.preset.element, this.custom);
    this.problem = this.other.problem;
    this.other.input.addEventListener("input", () => this.explain());
    this.choose(this.preset.value);
  }

  choose(chosen) {
    this.custom.hidden = chosen !== OTHER;
    this.explain();
  }

  // With a mixer, ε is that towards the recipient of the batch: what a single report tells is said by the plan.
  set isMixed(isMixed) {
    this.preset.element.querySelector("legend").textContent = isMixed ? MIXED_LEGEND : LEGEND;
    for (const odds of this.preset.element.querySelectorAll("small")) odds.hidden = isMixed;
    this.meaning.hidden = isMixed;
  }

  explain() {
    const valid = this.other.value !== "" && !this.other.wrong();
    this.meaning.textContent = valid ? odds(Number(this.other.value)) : "";
    this.warning.hidden = !(valid && Number(this.other.value) > DEFAULT_CAP);
    this.warning.textContent = `Devices spend at most ε = ${DEFAULT_CAP} on all surveys of this collector together. For this ε your app needs a higher cap; on the join page participants could not answer.`;
  }

  get value() {
    const chosen = this.preset.value;
    return chosen === OTHER ? this.other.value : chosen;
  }

  set value(value) {
    const isPreset = PRESETS.some(([epsilon]) => epsilon === value);
    this.other.value = isPreset ? "" : value;
    this.preset.value = isPreset ? value : OTHER;
  }

  wrong() {
    return this.preset.value === OTHER ? this.other.wrong() : null;
  }

  validate() {
    return this.preset.value !== OTHER || this.other.validate();
  }
}
