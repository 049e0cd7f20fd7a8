// How private a task is: three presets, each with what it suits, and any other ε; in numbers under "Details".
import { ChoiceField, numeric } from "../shared/form-fields.js";
import { withEpsilon } from "../shared/glossary.js";
import { language, t } from "../shared/language.js";
import { make } from "../shared/page.js";

// By its ε: a name, what it suits, and what a response then tells of a person.
const PRESETS = [
  [
    "1",
    t("Strong"),
    t(
      "For health, sexuality, religion, politics, trouble at work, complaints about people, or anything that people could be punished for. It needs the most people.",
    ),
    t("A single response then says little about the person who sent it, and is no proof of any answer."),
  ],
  [
    "2",
    t("Balanced"),
    t("For opinions, habits and everyday matters that people need not be afraid to tell."),
    t("A single response then says something about the person who sent it, but is no proof of any answer."),
  ],
  [
    "3",
    t("Light"),
    t("Only for harmless questions, such as dates or favourite courses. It needs the fewest people."),
    t("A single response then says much about the person who sent it, but is still no proof of any answer."),
  ],
];
const LEGEND = t("How well answers are hidden"),
  MIXED_LEGEND = t(
    "How well answers are hidden from you, if the mixer follows the protocol and enough responses are honest",
  ),
  USUAL = "2",
  OTHER = "other",
  MAX_EPSILON = 20,
  // What devices spend at most, by default; and the ratio from which protection is called weak.
  DEFAULT_CAP = 10,
  WEAK_RATIO = 50,
  CERTAIN = 0.995;

// What the level of an ε is called.
export const levelName = (epsilon) => PRESETS.find(([each]) => each === epsilon)[1];

// Up, since no factor is larger than what is said.
const FACTORS = new Intl.NumberFormat(language, { maximumSignificantDigits: 3, roundingMode: "ceil" });

// What an ε means: by how much a report can change a belief, at most.
export function odds(epsilon) {
  const times = Math.exp(epsilon),
    right = times / (1 + times);
  const guess =
    right > CERTAIN
      ? t("A fifty-fifty guess is then all but certain.")
      : t("A fifty-fifty guess is then right in at most {cases} of 100 cases.", { cases: Math.ceil(100 * right) });
  const change = t("A response changes the odds of an answer by at most {times} times.", {
    times: FACTORS.format(times),
  });
  return [change, guess, times > WEAK_RATIO ? t("This is weak protection.") : null].filter(Boolean).join(" ");
}

export class PrivacyField {
  constructor() {
    this.label = t("Privacy level");
    this.meaning = make("p", { class: "aside" });
    this.warning = make("p", { class: "note", role: "status", hidden: true });
    this.other = numeric(t("Level as a number"), {
      step: "any",
      min: 0,
      max: MAX_EPSILON,
      hint: t("Above 0 and at most 20; smaller is more private. Strong is 1, balanced 2, light 3."),
      missing: t("choose a number"),
    });
    this.custom = make("div", {}, this.other.element, this.meaning, this.warning);
    this.told = make("p", { class: "aside", role: "status" });
    this.numbers = make(
      "details",
      {},
      make("summary", {}, t("Details")),
      make(
        "ul",
        {},
        ...PRESETS.map(([epsilon, name]) =>
          make("li", {}, ...withEpsilon(`${name}, ε = ${epsilon}: ${odds(Number(epsilon))}`)),
        ),
      ),
    );
    this.preset = new ChoiceField(
      LEGEND,
      [
        ...PRESETS.map(([epsilon, name, suits]) => [
          epsilon,
          epsilon === USUAL ? t("{level} (the usual choice)", { level: name }) : name,
          suits,
        ]),
        [OTHER, t("Another level"), t("As a number, for experts.")],
      ],
      { chosen: USUAL, onchange: (chosen) => this.choose(chosen) },
    );
    this.element = make("div", { class: "presets" }, this.preset.element, this.told, this.custom, this.numbers);
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
    for (const ofReports of [this.told, this.meaning, this.numbers]) ofReports.hidden = isMixed;
  }

  explain() {
    const valid = this.other.value !== "" && !this.other.wrong();
    this.told.textContent = PRESETS.find(([epsilon]) => epsilon === this.preset.value)?.[3] ?? "";
    this.meaning.textContent = valid ? odds(Number(this.other.value)) : "";
    this.warning.hidden = !(valid && Number(this.other.value) > DEFAULT_CAP);
    this.warning.textContent = t(
      "Devices keep to a privacy limit of 10 for all surveys of this collector together. For this level your app needs a higher limit; on the page of participants people could not answer.",
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
