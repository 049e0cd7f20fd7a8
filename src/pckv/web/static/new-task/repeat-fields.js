// Whether a task is repeated in rounds: the days of the rounds, and the panels that the devices are in.
import { number } from "../shared/form-checks.js";
import { ChoiceField, TextField } from "../shared/form-fields.js";
import { count, make, short } from "../shared/page.js";
import { windowSentence } from "../dashboard/series-details.js";

const MAX_PERIOD = 3660,
  MAX_PANELS = 1000,
  MAX_ROUNDS = 1e6,
  // What devices spend at most, unless their cap is raised.
  DEFAULT_CAP = 10;

const today = () => new Date().toISOString().slice(0, 10);

const whole = (label, hint, value, options) =>
  new TextField(label, make("input", { type: "number", value }), {
    hint,
    check: number({ min: 1, whole: true, ...options }),
  });

function firstDay(value) {
  if (!value) return "name the first day";
  return value < today() ? "this is in the past" : null;
}

export class RepeatFields {
  constructor() {
    const repeat = new ChoiceField("People are asked", [
      ["once", "once"],
      [
        "rounds",
        "again in every round",
        "For an app that people use again and again: it shows what changes. The join page takes no reports of rounds.",
      ],
    ]);
    const first = new TextField("Round 1 opens on", make("input", { type: "date" }), {
        hint: "UTC.",
        check: firstDay,
      }),
      period = whole("Days per round", "7 for rounds of a week.", 7, {
        max: MAX_PERIOD,
        missing: "say how long a round is",
      }),
      rounds = whole("Rounds (optional)", "Leave empty for no end.", "", { max: MAX_ROUNDS });
    const panels = whole("Panels", "A device reports in one round out of that many.", 4, {
      max: MAX_PANELS,
      missing: "say how many panels there are",
    });
    const check = panels.check;
    panels.check = (value) =>
      check(value) ??
      (rounds.value && Number(value) > Number(rounds.value)
        ? "this must be at most the number of rounds"
        : null);
    this.fields = { repeat, first, period, rounds, panels };
    this.meaning = make("p", { class: "aside" });
    this.warning = make("p", { class: "note", role: "status", hidden: true });
    const row = (...fields) => make("div", { class: "row" }, ...fields.map(({ element }) => element));
    this.rest = make("div", {}, row(first, period), row(panels, rounds), this.meaning, this.warning);
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

  // What the rounds promise at this ε.
  explain(epsilon) {
    const { period, panels, rounds } = this.fields,
      ready = this.isOn && epsilon > 0 && ![period, panels, rounds].some((field) => field.wrong());
    this.rest.hidden = !this.isOn;
    this.meaning.textContent = ready ? windowSentence({ ...this.numbers(), epsilon }) : "";
    const reports = Math.floor(DEFAULT_CAP / epsilon),
      { rounds: end, panels: all } = this.numbers();
    this.warning.hidden = !ready || (end !== null && Math.ceil(end / all) <= reports);
    this.warning.textContent = `Devices spend at most ε = ${DEFAULT_CAP} on all surveys of this collector together, unless your app sets another cap: with this ε that is ${count(reports)} reports, and none afterwards.`;
  }

  // What a plan for one round says of all of them.
  perRound(users) {
    if (!this.isOn) return "";
    const { panels } = this.numbers();
    if (panels === 1) return `This is for one round: all ${count(users)} people report in every round.`;
    return `This is for one round, in which about ${count(this.peoplePerRound(users))} of the ${count(users)} people report. The noise of the last ${count(panels)} rounds pooled is ${short(Math.sqrt(panels))} times smaller.`;
  }

  // The contract of the series, in canonical order.
  contract(task) {
    const { first, panels, period, rounds } = this.numbers();
    return { first, panels, period, rounds, task, version: 1 };
  }
}
