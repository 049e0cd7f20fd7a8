// The form for a new survey: its fields in steps, and what they say as a draft, as a question for a plan and as a task.
import { AskFields, CHOOSE, more, RATE } from "./ask-fields.js";
import { BeforePublishing } from "./before-publishing.js";
import { CheckList } from "./check-list.js";
import { DerivedFields, valuesOfDerived } from "./derived-fields.js";
import { DiscoveryFields, valuesOfTree } from "./discovery-fields.js";
import { HeldFields, valuesOfHeld } from "./held-fields.js";
import { ChoiceField, sentence, TextField } from "../shared/form-fields.js";
import { KeyField, valueOfKeys } from "../shared/key-field.js";
import { t } from "../shared/language.js";
import { LanguagesField, valueOfLanguages } from "./languages-field.js";
import { valueOfLevels } from "./levels-field.js";
import { MixerFields, valuesOfMixer } from "./mixer-fields.js";
import { OtherField, valueOfOther } from "./other-field.js";
import { choice, make } from "../shared/page.js";
import { PeopleFields } from "./people-fields.js";
import { PrivacyField } from "./privacy-field.js";
import { RepeatFields } from "./repeat-fields.js";
import { ScaleField, scaleOf } from "./scale-field.js";
import { Steps } from "./steps.js";
import { hasValues } from "../shared/task-words.js";

// What of the texts for participants is about values.
const OF_VALUES = ["unit", "low_label", "middle_label", "high_label"],
  ABOUT = ["question", "description", ...OF_VALUES, "eligibility", "consent", "contact"],
  // Those with several lines.
  LONG = ["description", "eligibility", "consent", "keys"];

export class TaskForm {
  // `changed` is called after every change; `last` is what stands at the end of the last step, and `moved` is called
  // when another step is shown.
  constructor(changed, { last, moved }) {
    this.changed = () => this.fields && this.update(changed);
    this.repeat = new RepeatFields();
    this.tree = new DiscoveryFields();
    this.held = new HeldFields();
    this.derived = new DerivedFields();
    this.mixing = new MixerFields();
    this.asking = new AskFields();
    this.people = new PeopleFields();
    this.scale = new ScaleField();
    this.fields = {
      ...this.asking.fields,
      keys: new KeyField(() => this.changed()),
      other: new OtherField(),
      ...this.held.fields,
      ...this.scale.fields,
      ...this.derived.fields,
      ...this.tree.fields,
      ...this.people.fields,
      ...this.repeat.fields,
      ...this.mixing.fields,
      ...privacyFields(),
      translations: new LanguagesField(
        () => this.texts(),
        (before, after) => this.tree.follow(before, after),
      ),
    };
    this.list = new CheckList((place) => this.steps.go(place));
    this.before = new BeforePublishing();
    this.plan = null;
    const shown = (place) => {
      if (!this.steps) return;
      this.fields.translations.update();
      this.list.show(this, this.plan);
      if (this.steps.isLast) this.before.show();
      moved(place);
    };
    this.steps = new Steps(
      [
        [t("What do you ask?"), this.asking.element],
        [t("Which answers?"), this.answers(), this.languages()],
        [t("Who takes part, how long?"), this.people.build(this.repeat.element)],
        [t("Privacy"), ...this.privacy()],
        [t("Check and publish"), this.list.element, this.before.element, ...last],
      ],
      { check: (step) => this.validate(step), shown },
    );
    this.element = make("div", { oninput: this.changed, onchange: this.changed }, this.steps.element);
    for (const control of this.written()) control.spellcheck = true;
    this.update(() => {});
  }

  answers() {
    const { keys, other, any, most_pairs: most } = this.fields;
    this.more = more(
      keys.as.element,
      other.element,
      make("div", { class: "row" }, most.element, any.element),
      this.held.ofApps,
      this.fields.together.element,
    );
    const { element: scale } = this.scale,
      { groups } = this.derived;
    return make("div", {}, keys.element, this.tree.element, this.held.element, scale, groups, this.more);
  }

  privacy() {
    const { epsilon, objective, coin } = this.fields;
    return [epsilon.element, more(this.mixing.element, objective.element, coin.element)];
  }

  languages() {
    const summary = make("summary", {}, t("Languages of your texts"));
    return make("details", { class: "more" }, summary, this.fields.translations.element);
  }

  // What participants read, for its translations.
  texts() {
    const { keys } = this.fields,
      names = keys.isList ? [...keys.keys(), ...(this.other() ? [this.other()] : [])].join("\n") : "",
      shown = ["name", ...ABOUT.filter((name) => this.isRated || !OF_VALUES.includes(name))],
      texts = shown.map((name) => [name, this.fields[name].label, this.fields[name].value, LONG.includes(name)]);
    return [...texts, ["keys", keys.label, names, true], ...this.derived.texts()];
  }

  // Where the operator writes in the language of the survey.
  written() {
    const { name, keys, other, segment } = this.fields,
      texts = ABOUT.filter((member) => member !== "contact").map((member) => this.fields[member]);
    return [keys.names, ...[name, ...texts, other.name, segment.name, segment.labels].map(({ input }) => input)];
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
    const { asks, access, invitations, coin, opens, last, epsilon, keys, other, objective, repeat } = this.fields,
      { most_pairs: most, any } = this.fields,
      { isRated } = this,
      finds = keys.isDiscovery,
      mixed = this.mixing.isOn;
    this.mixing.update();
    epsilon.isMixed = mixed;
    this.people.requireEnd(mixed && !this.repeat.isOn);
    if (finds && this.repeat.isOn) repeat.value = "once";
    this.tree.element.hidden = !finds;
    this.held.update();
    if (finds) most.element.hidden = this.held.ofApps.hidden = true;
    for (const element of [asks.element, this.repeat.element, this.held.element, any.element]) element.hidden = finds;
    for (const element of [this.scale.element, objective.element]) element.hidden = !isRated;
    if (coin.value === "server" && access.value !== "invitations") access.value = "invitations";
    access.inputs[0].disabled = coin.value === "server";
    for (const field of [opens, last]) field.element.hidden = this.repeat.isOn;
    for (const field of [access, coin]) field.element.hidden = this.repeat.isOn || mixed;
    invitations.element.hidden = access.element.hidden || access.value !== "invitations";
    // Of mixed rounds the plan says what devices spend.
    this.repeat.explain(mixed ? Number.NaN : Number(epsilon.value));
    this.people.update();
    other.element.hidden = keys.isHashed || finds;
    this.derived.update({ keys, isRated, hasOther: this.other() !== null, isOneChoice: this.held.isOneChoice });
    this.fields.translations.update();
    for (const control of this.written()) control.lang = this.fields.translations.value.language;
    this.scale.update();
    changed();
  }

  // What is planned for the form, or null while there is no plan.
  planned(plan) {
    this.plan = plan;
    this.list.show(this, plan);
  }

  // Examples stand in the fields of a survey that begins with a template.
  show(template = {}) {
    this.asking.show(template);
    this.fields.keys.names.placeholder = template.options ?? "";
  }

  // As a draft: the values of all fields.
  values() {
    return Object.fromEntries(Object.entries(this.fields).map(([name, field]) => [name, field.value]));
  }

  fill(values) {
    for (const [name, field] of Object.entries(this.fields)) if (name in values) field.value = values[name] ?? "";
    this.changed();
  }

  // All fields that count, also those of other steps.
  used() {
    return Object.values(this.fields).filter(({ element }) => !element.closest("[hidden]:not([data-step])"));
  }

  // Where to tell what the collector says of a field: named values are also the ends of the range, and a limit
  // is the most pairs.
  fieldNamed(name) {
    const { levels, scale, letters } = this.fields,
      ofRange = levels.isNamed && ["low", "high"].includes(name),
      ofHeld = ["pairs", "most_pairs", "holding"].includes(name),
      // How many people are mixed is how many are expected; a survey closes after its last day.
      own = this.fields[{ mixed: "users", closes: "last" }[name] ?? name],
      field = ofRange ? levels : ofHeld ? this.held.fieldNamed(name) : own,
      used = this.used();
    if (used.includes(field)) return field;
    return used.find((each) =>
      name === "alphabet" ? each === letters : each === scale && ["low", "high", "levels"].includes(name),
    );
  }

  // Tells what is wrong at every field, or at those of a step; returns the first of them, in the order of the page.
  validate(step = this.element) {
    // A day may have passed since the last change.
    this.update(() => {});
    const wrong = this.used().filter((field) => step.contains(field.problem.control) && !field.validate());
    return wrong.sort(byPlace)[0] ?? null;
  }

  // Where keys are listed.
  other() {
    return this.fields.keys.isHashed ? null : this.fields.other.other();
  }

  // What a plan depends on, or what is still missing for one.
  planInputs() {
    const { keys, users, epsilon } = this.fields,
      valueFields = this.isRated ? this.scale.used() : [],
      ofPairs = [...this.held.used(), ...this.derived.used(), ...valueFields, ...this.repeat.planned()];
    for (const field of [keys, ...(keys.isDiscovery ? this.tree.used() : ofPairs), users, epsilon]) {
      const wrong = field.wrong();
      if (wrong) return { missing: `${field.label}: ${sentence(wrong)}` };
    }
    if (keys.isDiscovery) {
      return { kind: "discovery", ...this.tree.values(), ...this.expected(), epsilon: epsilon.value };
    }
    return {
      keys: keys.isHashed ? "hashed" : keys.keyCount + (this.other() !== null),
      ...this.expected(),
      epsilon: epsilon.value,
      ...this.heldInputs(),
      ...this.derived.planInputs(),
      coin: this.coin(),
      ...(this.isRated ? { ...this.ofValues(), levels: String(this.fields.levels.levels()) } : {}),
    };
  }

  // What a plan and a task are told of values; of keys without values nothing.
  ofValues() {
    return { ...this.scale.values(), objective: this.fields.objective.value };
  }

  // What is not said of the pairs of people is not asked for either.
  heldInputs() {
    return Object.fromEntries(Object.entries(this.held.values()).map(([name, value]) => [name, value ?? ""]));
  }

  // The people, as a plan takes them; that of mixed rounds is told of all people, and of the rounds.
  expected() {
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
      days = this.repeat.isOn ? { opens: null, closes: null } : this.people.days();
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
    const { users, panels = null } = this.expected();
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

function privacyFields() {
  return {
    epsilon: new PrivacyField(),
    objective: new TextField(
      t("What matters"),
      choice(
        [
          ["both", t("how many, and how they rate")],
          ["frequency", t("how many choose an answer")],
          ["mean", t("the average rating")],
        ],
        "both",
        () => {},
      ),
    ),
    coin: new ChoiceField(t("Against people who lie to distort the result"), [
      ["device", t("nothing more"), t("Every device draws all of its response's randomness.")],
      [
        "server",
        t("the collector draws the random function of each response"),
        t(
          "A liar cannot search for a function that names many answers at once. It needs invitations, one per response. The guarantee for participants stays the same.",
        ),
      ],
    ]),
  };
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
  name: t("{name} (copy)", { name: task.name }),
  translations: valueOfLanguages(task.about),
  keys: valueOfKeys(task),
  ...valuesOfMixer(task),
  users: target ? String(target) : "",
  coin: task.coin,
  ...(task.kind === "discovery" ? valuesOfTree(task) : valuesOfPairs(task)),
});

const valuesOfPairs = (task) => ({
  other: valueOfOther(task),
  ...(hasValues(task)
    ? { asks: RATE, scale: scaleOf(task), low: task.low, high: task.high, levels: valueOfLevels(task) }
    : { asks: CHOOSE }),
  ...valuesOfHeld(task),
  ...valuesOfDerived(task),
});
