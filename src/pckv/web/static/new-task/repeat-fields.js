// Whether a task is repeated in rounds: the days of the rounds, and the panels that the devices are in.
import { ChoiceField, numeric, TextField } from "../shared/form-fields.js";
import { withEpsilon } from "../shared/glossary.js";
import { t, today } from "../shared/language.js";
import { count, make, plural, replace, short } from "../shared/page.js";
import { windowSentence } from "../shared/task-words.js";

const MAX_PERIOD = 3660,
  MAX_PANELS = 1000,
  MAX_ROUNDS = 1e6,
  // What devices spend at most, unless their cap is raised.
  DEFAULT_CAP = 10;

export class RepeatFields {
  constructor() {
    const repeat = new ChoiceField(t("People are asked"), [
      ["once", t("once")],
      ["rounds", t("again in every round"), t("A repeated survey shows what changes from one round to the next.")],
    ]);
    const first = new TextField(t("Round 1 opens on"), make("input", { type: "date" }), {
      hint: t("World time (UTC)."),
      missing: t("name the first day"),
    });
    const period = numeric(t("Days per round"), {
      value: 7,
      max: MAX_PERIOD,
      hint: t("7 for rounds of a week."),
      missing: t("say how long a round is"),
    });
    const rounds = numeric(t("Rounds (optional)"), { max: MAX_ROUNDS, hint: t("Leave empty for no end.") });
    const panels = numeric(t("Devices take turns over … rounds"), {
      value: 4,
      max: MAX_PANELS,
      hint: t("A device answers in one round out of that many."),
      missing: t("say over how many rounds devices take turns"),
    });
    this.fields = { repeat, first, period, rounds, panels };
    this.meaning = make("p", { class: "aside" });
    this.warning = make("p", { class: "note", role: "status", hidden: true });
    this.ofRounds = make("p");
    this.ofCap = make("p");
    this.details = make("details", {}, make("summary", {}, t("Details")), this.ofRounds, this.ofCap);
    const row = (...fields) => make("div", { class: "row" }, ...fields.map(({ element }) => element));
    this.rest = make("div", {}, row(first, period), row(panels, rounds), this.meaning, this.warning, this.details);
    this.element = make("div", {}, repeat.element, this.rest);
  }

  get isOn() {
    return this.fields.repeat.value === "rounds";
  }

  // What is wrong with these stands in the way of a plan.
  planned() {
    return this.isOn ? [this.fields.panels] : [];
  }

  peoplePerRound(users) {
    return this.isOn ? Math.max(1, Math.floor(users / Number(this.fields.panels.value))) : users;
  }

  numbers() {
    const { first, period, panels, rounds } = this.fields;
    return {
      first: first.value,
      panels: Number(panels.value),
      period: Number(period.value),
      rounds: Number(rounds.value) || null,
    };
  }

  // What the rounds promise at this ε, which stands under "Details".
  explain(epsilon) {
    const { first, period, panels, rounds } = this.fields;
    first.input.min = today();
    // There are no more panels than rounds.
    panels.input.max = Math.min(MAX_PANELS, Number(rounds.value) || MAX_PANELS);
    const ready = this.isOn && epsilon > 0 && ![period, panels, rounds].some((field) => field.wrong()),
      numbers = this.numbers(),
      number = Math.floor(DEFAULT_CAP / epsilon),
      isEnough = numbers.rounds !== null && Math.ceil(numbers.rounds / numbers.panels) <= number;
    this.rest.hidden = !this.isOn;
    this.meaning.hidden = this.details.hidden = !ready;
    this.warning.hidden = this.ofCap.hidden = !ready || isEnough;
    if (!ready) return;
    this.meaning.textContent = answersOnce(numbers);
    replace(this.ofRounds, ...withEpsilon(windowSentence({ ...numbers, epsilon })));
    this.warning.textContent = t(
      "After {number} responses at this privacy level a browser takes no further part in surveys of this collector.",
      { number: count(number) },
    );
    this.ofCap.textContent = t(
      "Devices spend at most ε = 10 on all surveys of this collector together, unless your app sets another cap: at this privacy level that is {number} responses, and none afterwards.",
      { number: count(number) },
    );
  }

  // What a plan for one round says of all of them.
  perRound(users) {
    if (!this.isOn) return "";
    const { panels } = this.numbers();
    if (panels === 1)
      return t("This is for one round: all {people} people answer in every round.", { people: count(users) });
    return t(
      "This is for one round, in which about {some} of the {people} people answer. The noise of the last {panels} rounds pooled is {times} times smaller.",
      {
        some: count(this.peoplePerRound(users)),
        people: count(users),
        panels: count(panels),
        times: short(Math.sqrt(panels)),
      },
    );
  }

  // The contract of the series, in canonical order.
  contract(task) {
    const { first, panels, period, rounds } = this.numbers();
    return { first, panels, period, rounds, task, version: 1 };
  }
}

function answersOnce({ period, panels }) {
  const values = { panels: count(panels), days: plural(panels * period, "day") };
  return panels === 1
    ? t(
        "A device answers at most once in a round ({days}): the privacy level covers whatever a participant does in that time.",
        values,
      )
    : t(
        "A device answers at most once in any {panels} rounds in a row ({days}): the privacy level covers whatever a participant does in that time.",
        values,
      );
}
