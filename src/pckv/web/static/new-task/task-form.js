// The form for a new task: its fields in sections, and what they say as a draft, as a question for a plan and
// as a task.
import { DerivedFields, valuesOfDerived } from "./derived-fields.js";
import { DiscoveryFields, valuesOfTree } from "./discovery-fields.js";
import { HeldFields, valuesOfHeld } from "./held-fields.js";
import { ChoiceField, numeric, TextField } from "../shared/form-fields.js";
import { KeyField, valueOfKeys } from "../shared/key-field.js";
import { LanguagesField, valueOfLanguages } from "./languages-field.js";
import { LevelsField, valueOfLevels } from "./levels-field.js";
import { MixerFields, valuesOfMixer } from "./mixer-fields.js";
import { OtherField, valueOfOther } from "./other-field.js";
import { choice, make } from "../shared/page.js";
import { PrivacyField } from "./privacy-field.js";
import { RepeatFields } from "./repeat-fields.js";
import { hasValues } from "../shared/task-words.js";

const MAX_USERS = 1e15,
  MAX_INVITATIONS = 100_000;
const ABOUT = ["question", "description", "unit", "low_label", "high_label", "eligibility", "consent", "contact"],
  // Of these, what is about values.
  OF_VALUES = ["unit", "low_label", "high_label"];

// Most questions are "which of these?", and shares alone need about half the people: keys have no values by default.
const CHOOSE = "choose",
  RATE = "rate";
const EXAMPLES = {
  [CHOOSE]: "Which of these films have you seen?",
  [RATE]: "Which of these films have you seen, and how did you like them?",
};

const CLOSES_HINT = "The first day without reports; leave empty for no end.",
  MIXED_CLOSES_HINT = "The first day without reports, on which the batch leaves the mixer.",
  NO_DAY = "name the day on which the batch leaves the mixer";

const line = (label, hint, { example, missing } = {}) =>
  new TextField(label, make("input", { type: "text", autocomplete: "off", placeholder: example }), {
    hint,
    missing,
  });

const lines = (label, hint) => new TextField(label, make("textarea", { rows: 3 }), { hint });

const day = (label, hint) => new TextField(label, make("input", { type: "date" }), { hint });

const row = (...fields) => make("div", { class: "row" }, ...fields.map(({ element }) => element));

const section = (number, title, ...content) =>
  make(
    "section",
    { "aria-label": title },
    make("h2", {}, make("span", { class: "step" }, number), " ", title),
    ...content,
  );

export class TaskForm {
  // `changed` is called after every change.
  constructor(changed) {
    this.changed = () => this.fields && this.update(changed);
    this.repeat = new RepeatFields();
    this.tree = new DiscoveryFields();
    this.held = new HeldFields();
    this.derived = new DerivedFields();
    this.mixing = new MixerFields();
    this.fields = {
      ...this.askFields(),
      ...this.answerFields(),
      ...this.peopleFields(),
      ...this.repeat.fields,
      ...this.tree.fields,
      ...this.held.fields,
      ...this.derived.fields,
      ...this.mixing.fields,
      ...this.planFields(),
    };
    this.often = section(4, "How often", this.repeat.element);
    this.element = make(
      "div",
      { oninput: this.changed, onchange: this.changed },
      this.askSection(),
      this.answerSection(),
      this.peopleSection(),
      this.often,
      this.privacySection(),
    );
    this.defaults = JSON.stringify(this.values());
    this.update(() => {});
  }

  askFields() {
    return {
      asks: new ChoiceField("What people do", [
        [CHOOSE, "People choose", "They tick what applies to them. The result says how many people that is, for each."],
        [
          RATE,
          "People choose and rate",
          "They also give a value to each, such as stars or minutes. The result has the mean values, too; shares of the same precision usually take about twice as many people.",
        ],
      ]),
      name: line("Name", "For your list of tasks. Two runs of one survey need different names.", {
        missing: "give the task a name",
      }),
      question: line("Question", "What participants read first. Without a question they read the name."),
      description: lines("Description", "Who asks, and what for."),
      unit: line("Unit of the values", "Such as stars or minutes.", { example: "stars" }),
      low_label: line("Lowest value means", null, { example: "awful" }),
      high_label: line("Highest value means", null, { example: "great" }),
      translations: new LanguagesField(),
    };
  }

  answerFields() {
    const end = (label, value, missing) => numeric(label, { min: null, step: "any", value, missing }),
      low = end("Lowest value", 1, "name the lowest value"),
      high = end("Highest value", 5, "name the highest value");
    const keys = new KeyField(() => this.changed());
    return { keys, other: new OtherField(), low, high, levels: new LevelsField() };
  }

  peopleFields() {
    const opens = day("First day", "UTC; leave empty to start at once."),
      closes = day("Closes on", CLOSES_HINT);
    const users = numeric("People expected", {
      max: MAX_USERS,
      hint: "The target of the collection; the plan depends on it.",
      missing: "say how many people you expect",
    });
    const invitations = numeric("Number of invitations", {
      max: MAX_INVITATIONS,
      hint: "One link per person, shown once after the task is created.",
      missing: "say how many invitations you need; more can be made later",
    });
    return {
      users,
      opens,
      closes,
      access: new ChoiceField("How people take part", [
        ["link", "By one open link", "Everyone who has it can take part, once per device."],
        ["invitations", "By invitation", "Every person gets a link of their own, which is good for one report."],
      ]),
      invitations,
      eligibility: lines("Who may take part", "Such as: adults who live in Berlin."),
      consent: lines("Consent", "What participants have to agree to before they send anything."),
      contact: line("Contact", "Whom participants may ask: an address, or a name.", {
        example: "survey@example.org",
      }),
    };
  }

  planFields() {
    return {
      epsilon: new PrivacyField(),
      objective: new TextField(
        "What matters",
        choice(
          [
            ["both", "how many, and how much"],
            ["frequency", "how many hold a key"],
            ["mean", "the mean value"],
          ],
          "both",
          () => {},
        ),
      ),
      coin: new ChoiceField("Against people who lie to distort the result", [
        ["device", "nothing more", "Every device draws all of its report's randomness."],
        [
          "server",
          "the collector draws the random function of each report",
          "A liar cannot search for a function that names many keys at once. It needs invitations, one per report. The guarantee for participants stays the same.",
        ],
      ]),
    };
  }

  askSection() {
    const { asks, name, question, description, unit, low_label: low, high_label: high, translations } = this.fields;
    this.meanings = row(unit, low, high);
    return section(
      1,
      "What you ask",
      asks.element,
      name.element,
      question.element,
      description.element,
      this.meanings,
      translations.element,
    );
  }

  answerSection() {
    const { keys, other, low, high, levels } = this.fields;
    this.ends = row(low, high);
    return section(
      2,
      "What people may answer",
      keys.element,
      this.tree.element,
      other.element,
      this.held.element,
      levels.element,
      this.ends,
      this.derived.element,
    );
  }

  peopleSection() {
    const { users, opens, closes, access, invitations, eligibility, consent, contact } = this.fields;
    return section(
      3,
      "Who takes part",
      row(users, opens, closes),
      access.element,
      invitations.element,
      row(eligibility, consent),
      contact.element,
    );
  }

  privacySection() {
    const { epsilon, objective, coin } = this.fields;
    this.advanced = make(
      "details",
      { class: "advanced" },
      make("summary", {}, "Advanced"),
      objective.element,
      coin.element,
    );
    return section(5, "Privacy", this.mixing.element, epsilon.element, this.advanced);
  }

  // Whether keys have values.
  get isRated() {
    return this.fields.asks.value === RATE && !this.fields.keys.isDiscovery;
  }

  // What follows from other fields: a discovery has neither values nor rounds, nor have keys that are only chosen
  // values, a coin needs invitations, rounds have days and panels instead, any text leaves none unlisted, named values
  // begin and end with those of the range; with a mixer a task closes, devices draw their coins, and the mixer decides
  // who takes part.
  update(changed) {
    const {
        asks,
        access,
        invitations,
        coin,
        opens,
        closes,
        epsilon,
        levels,
        keys,
        other,
        objective,
        question,
        repeat,
      } = this.fields,
      { isRated } = this,
      finds = keys.isDiscovery,
      mixed = this.mixing.isOn;
    this.mixing.update();
    epsilon.isMixed = mixed;
    this.requireEnd(mixed && !this.repeat.isOn);
    if (finds && this.repeat.isOn) repeat.value = "once";
    this.tree.element.hidden = !finds;
    this.held.update();
    for (const element of [asks.element, this.often, this.held.element]) element.hidden = finds;
    for (const element of [this.meanings, levels.element, objective.element]) element.hidden = !isRated;
    question.input.placeholder = EXAMPLES[asks.value];
    if (coin.value === "server" && access.value !== "invitations") access.value = "invitations";
    access.inputs[0].disabled = coin.value === "server";
    for (const field of [opens, closes]) field.element.hidden = this.repeat.isOn;
    for (const field of [access, coin]) field.element.hidden = this.repeat.isOn || mixed;
    invitations.element.hidden = access.element.hidden || access.value !== "invitations";
    // Of mixed rounds the plan says what devices spend.
    this.repeat.explain(mixed ? Number.NaN : Number(epsilon.value));
    other.element.hidden = keys.isHashed || finds;
    this.ends.hidden = levels.isNamed || !isRated;
    this.derived.update({ keys, isRated, hasOther: this.other() !== null, isOneChoice: this.held.isOneChoice });
    levels.explain();
    changed();
  }

  requireEnd(isRequired) {
    const { closes } = this.fields;
    closes.missing = isRequired ? NO_DAY : null;
    closes.input.required = isRequired;
    closes.element.querySelector("small").textContent = isRequired ? MIXED_CLOSES_HINT : CLOSES_HINT;
    if (!isRequired && closes.input.validity.valid) closes.problem.show(null);
  }

  // As a draft: the values of all fields.
  values() {
    return Object.fromEntries(Object.entries(this.fields).map(([name, field]) => [name, field.value]));
  }

  fill(values) {
    for (const [name, field] of Object.entries(this.fields)) if (name in values) field.value = values[name] ?? "";
    this.changed();
  }

  isUntouched() {
    return JSON.stringify(this.values()) === this.defaults;
  }

  used() {
    return Object.values(this.fields).filter(({ element }) => !element.closest("[hidden]"));
  }

  // Where to tell what the collector says of a field: named values are also the ends of the range, and a limit
  // is the most pairs.
  fieldNamed(name) {
    const { levels } = this.fields,
      ofRange = levels.isNamed && ["low", "high"].includes(name),
      ofHeld = ["pairs", "most_pairs", "holding"].includes(name),
      // How many people are mixed is how many are expected.
      own = this.fields[name === "mixed" ? "users" : name],
      field = ofRange ? levels : ofHeld ? this.held.fieldNamed(name) : own;
    return this.used().find((each) => each === field);
  }

  // Tells what is wrong at every field; returns the first of them, in the order of the page.
  validate() {
    const wrong = this.used().filter((field) => !field.validate());
    return wrong.sort(byPlace)[0] ?? null;
  }

  // Where keys are listed.
  other() {
    return this.fields.keys.isHashed ? null : this.fields.other.other();
  }

  // What a plan depends on, or what is still missing for one.
  planInputs() {
    const { keys, low, high, levels, users, epsilon } = this.fields,
      ends = levels.isNamed ? [] : [low, high],
      valueFields = this.isRated ? [levels, ...ends] : [],
      ofPairs = [...this.held.used(), ...this.derived.used(), ...valueFields, ...this.repeat.planned()];
    for (const field of [keys, ...(keys.isDiscovery ? Object.values(this.tree.fields) : ofPairs), users, epsilon]) {
      const wrong = field.wrong();
      if (wrong) return { missing: `${field.label}: ${wrong}.` };
    }
    if (keys.isDiscovery) {
      return { kind: "discovery", ...this.tree.values(), ...this.people(), epsilon: epsilon.value };
    }
    return {
      keys: keys.isHashed ? "hashed" : keys.keyCount + (this.other() !== null),
      ...this.people(),
      epsilon: epsilon.value,
      ...this.heldInputs(),
      ...this.derived.planInputs(),
      coin: this.coin(),
      ...(this.isRated ? { ...this.ofValues(), levels: String(levels.levels()) } : {}),
    };
  }

  // What a plan and a task are told of values; of keys without values nothing.
  ofValues() {
    const { low, high, levels, objective } = this.fields;
    return {
      ...levels.range(low.value, high.value),
      levels: levels.levels(),
      objective: objective.value,
    };
  }

  // What is not said of the pairs of people is not asked for either.
  heldInputs() {
    return Object.fromEntries(Object.entries(this.held.values()).map(([name, value]) => [name, value ?? ""]));
  }

  // As a plan takes them; that of mixed rounds is told of all people, and of the rounds.
  people() {
    const users = Number(this.fields.users.value),
      { panels, rounds } = this.repeat.numbers();
    if (!this.mixing.isOn) return { users: this.peoplePerRound() };
    return { users, mixed: users, ...(this.repeat.isOn ? { panels, rounds: rounds ?? "" } : {}) };
  }

  // A plan is for the people of one round; without rounds those are all.
  peoplePerRound() {
    return this.repeat.peoplePerRound(Number(this.fields.users.value));
  }

  // The coins of a series and of mixed tasks are always those of devices.
  coin() {
    return this.repeat.isOn || this.mixing.isOn ? "device" : this.fields.coin.value;
  }

  // The body of the request that creates the task; that of a series has no days.
  body() {
    const value = (name) => this.fields[name].value,
      { keys, levels } = this.fields,
      about = Object.fromEntries(
        ABOUT.filter((name) => this.isRated || !OF_VALUES.includes(name)).map((name) => [name, value(name)]),
      ),
      days = {
        opens: (!this.repeat.isOn && value("opens")) || null,
        closes: (!this.repeat.isOn && value("closes")) || null,
      };
    Object.assign(about, this.fields.translations.about());
    const common = {
      name: value("name"),
      about,
      epsilon: value("epsilon"),
      coin: this.coin(),
      ...days,
      ...this.mixing.values(),
    };
    if (keys.isDiscovery) {
      const people = this.mixing.isOn ? { users: Number(value("users")) } : {};
      return { kind: "discovery", ...common, ...this.tree.values(), ...people };
    }
    const { users, panels = null } = this.people();
    return {
      ...common,
      keys: keys.keys(),
      other: this.other(),
      ...(this.isRated ? { ...this.ofValues(), between: levels.rule() } : {}),
      users,
      panels,
      ...this.held.values(),
      ...this.derived.values(),
    };
  }
}

// The values of the form for another run of a series.
export const valuesOfSeries = ({ task, period, panels, rounds }) => ({
  ...valuesOfTask(task),
  repeat: "rounds",
  period: String(period),
  panels: String(panels),
  rounds: rounds ? String(rounds) : "",
});

const byPlace = (one, other) =>
  one.problem.control.compareDocumentPosition(other.problem.control) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;

// The values of the form for another run of a task; `target` is how many reports it wanted.
export const valuesOfTask = (task, target) => ({
  ...task.about,
  name: `${task.name} (copy)`,
  translations: valueOfLanguages(task.about),
  keys: valueOfKeys(task),
  ...valuesOfMixer(task),
  users: target ? String(target) : "",
  coin: task.coin,
  ...(task.kind === "discovery" ? valuesOfTree(task) : valuesOfPairs(task)),
});

const valuesOfPairs = (task) => ({
  other: valueOfOther(task),
  ...(hasValues(task) ? { asks: RATE, low: task.low, high: task.high, levels: valueOfLevels(task) } : { asks: CHOOSE }),
  ...valuesOfHeld(task),
  ...valuesOfDerived(task),
});
