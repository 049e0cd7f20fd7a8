// How private a task is: three presets and any other ε, each explained by odds.
import { ChoiceField, numeric } from "../shared/form-fields.js";
import { language, t } from "../shared/language.js";
import { make } from "../shared/page.js";

const PRESETS = [
  ["1", t("Strong")],
  ["2", t("Balanced")],
  ["3", t("Light")],
];
const LEGEND = t("How well answers are hidden"),
  MIXED_LEGEND = t(
    "How well answers are hidden from you, if the mixer follows the protocol and enough responses are honest",
  ),
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
    shown = Number(times.toPrecision(2)).toLocaleString(language);
  const guess =
    right > CERTAIN
      ? t("A fifty-fifty guess is then all but certain.")
      : t("A fifty-fifty guess is then right in at most {cases} of 100 cases.", { cases: Math.round(100 * right) });
  const surer = t("Someone who sees a response is at most about {times} times surer of an answer than before.", {
    times: shown,
  });
  return [surer, guess, times > WEAK_RATIO ? t("This is weak protection.") : null].filter(Boolean).join(" ");
}

export class PrivacyField {
  constructor() {
    this.label = t("Privacy level");
    this.meaning = make("p", { class: "aside" });
    this.warning = make("p", { class: "note", role: "status", hidden: true });
    this.other = numeric("ε", {
      step: "any",
      min: 0,
      max: MAX_EPSILON,
      hint: t("Above 0 and at most 20; smaller is more private. Strong is 1, balanced 2, light 3."),
      missing: t("choose an ε"),
    });
    this.custom = make("div", {}, this.other.element, this.meaning, this.warning);
    this.preset = new ChoiceField(
      LEGEND,
      [
        ...PRESETS.map(([epsilon, name]) => [epsilon, name, odds(Number(epsilon))]),
        [OTHER, t("Another level"), t("As a number, for experts.")],
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
    this.warning.textContent = t(
      "Devices spend at most ε = 10 on all surveys of this collector together. For this ε your app needs a higher cap; on the page of participants people could not answer.",
    );
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
