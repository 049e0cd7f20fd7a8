// The forecast for what a form says: a light and what people will learn, with all that a plan says under "Details".
import { advice, discoveryAdvice, goingOn, round } from "./advice.js";
import { Chart } from "../shared/chart.js";
import { term, withEpsilon } from "../shared/glossary.js";
import { patiently } from "../shared/connection.js";
import { t } from "../shared/language.js";
import {
  alertBox,
  capitalised,
  count,
  debounced,
  make,
  newestOnly,
  percent,
  plural,
  query,
  replace,
  short,
} from "../shared/page.js";
import { ask } from "../shared/request.js";
import { Table } from "../shared/table.js";
import { told } from "../shared/told.js";

const DELAY = 300,
  HALF_RANGE = 1.96;

export class PlanSection {
  // `change` leads to what the plan assumes; `computed` is called with every plan, and with null while there is none.
  constructor(change, computed) {
    Object.assign(this, { change, computed, newest: null, wanted: null });
    this.byEpsilon = new Chart(t("Expected 95 % ranges against ε."));
    this.byUsers = new Chart(t("Expected 95 % ranges against the number of people."));
    this.said = make("div", { "aria-live": "polite" });
    this.facts = make("div");
    this.curves = make("div");
    const summary = make("summary", {}, t("Details")),
      attributes = { hidden: true, ontoggle: () => this.draw() };
    this.details = make("details", attributes, summary, this.facts, this.curves);
    this.busy = make("small", { role: "status" });
    const title = make("h2", {}, t("What to expect"), " ", this.busy);
    this.element = make("section", { class: "plan", "aria-label": t("Forecast") }, title, this.said, this.details);
    this.later = debounced((...values) => this.compute(...values), DELAY);
    this.turn = 0;
  }

  wait(text) {
    this.giveUp();
    this.busy.textContent = "";
    this.details.hidden = true;
    replace(this.said, make("p", {}, t("The forecast appears here.")), make("p", { class: "aside" }, text));
  }

  // `perRound`, if it is not empty, says that the plan is for one round of several. What is asked for is given up as soon
  // as the form says something else that it depends on. Meanwhile a forecast stays, and nothing is named as missing.
  show(values, perRound = "") {
    const wanted = JSON.stringify([values, perRound]);
    if (wanted === this.wanted) return;
    this.giveUp();
    this.wanted = wanted;
    if (this.details.hidden) replace(this.said, make("p", {}, t("The forecast appears here.")));
    this.later(this.turn, values, perRound);
  }

  compute = newestOnly(async (signal, turn, { kind, ...values }, perRound) => {
    if (turn !== this.turn) return;
    this.busy.textContent = `– ${t("computing …")}`;
    try {
      const isDiscovery = kind === "discovery",
        newest = await asked(`/plan${isDiscovery ? "/discovery" : ""}?${query(values)}`, signal);
      if (signal.aborted) return;
      this.newest = newest;
      this.computed(newest);
      const help = make("div"),
        [first, ...rest] = newest.sections;
      replace(
        this.said,
        atFirstSight(first, newest),
        help,
        newest.plan ? this.changeButton() : null,
        ...((newest.plan ?? newest).mixed ? bothWays(newest) : []),
        perRound ? make("p", {}, perRound) : null,
      );
      replace(this.facts, ...[{ ...first, columns: [] }, ...rest].map(detail));
      this.details.hidden = false;
      if (first.light !== "green" && isDiscovery) replace(help, ...discoveryAdvice(values));
      else if (first.light !== "green") {
        const ways = values.mixed === undefined ? await asked(`/plan/ways?${query(values)}`, signal) : { ways: [] },
          { outlook } = newest.plan;
        if (signal.aborted) return;
        replace(help, ...advice({ ...ways, values, light: first.light, outlook, isRound: perRound !== "" }));
      }
      await this.draw();
    } catch (error) {
      if (signal.aborted) return;
      this.wanted = null;
      this.details.hidden = true;
      replace(this.said, alertBox(capitalised(error.detail ?? error.message)));
    } finally {
      if (!signal.aborted) this.busy.textContent = "";
    }
  });

  changeButton() {
    const attributes = { type: "button", class: "plain", onclick: this.change };
    return make("p", { class: "aside" }, make("button", attributes, t("Change what is assumed")));
  }

  // The script that draws is large: it is loaded when the details are opened.
  async draw() {
    const { details, newest, byEpsilon, byUsers } = this;
    if (!details.open || details.hidden) return;
    if (!newest?.by_epsilon) {
      replace(this.curves);
      return;
    }
    const typical = t(
      "The curves are for an answer that {share} of people choose, a typical one of the most frequent.",
      { share: percent(newest.plan.frequency) },
    );
    replace(
      this.curves,
      make("p", {}, typical),
      make("h3", {}, ...withEpsilon(t("With another ε"))),
      byEpsilon.element,
      make("h3", {}, t("With more or fewer people")),
      byUsers.element,
    );
    try {
      await Promise.all([byEpsilon.draw(newest.by_epsilon), byUsers.draw(newest.by_users)]);
    } catch (error) {
      replace(this.curves, alertBox(error.message));
    }
  }

  // What was asked for is wanted no more.
  giveUp() {
    this.turn++;
    this.compute.stop();
    this.newest = this.wanted = null;
    this.computed(null);
  }

  // What is said again before publishing: the forecast unless its light is green.
  reminder() {
    const { newest } = this;
    if (!newest) return make("p", { class: "note" }, t("There is no forecast yet."));
    const [first] = newest.sections;
    if (first.light === "green") return null;
    return make("div", {}, make("p", {}, t("The forecast says:")), atFirstSight(first, newest));
  }

  // For good: a chart that is stopped draws nothing again.
  stop() {
    this.giveUp();
    this.byEpsilon.stop();
    this.byUsers.stop();
  }
}

const asked = (path, signal) => patiently(() => ask("GET", path, { signal }), signal);

const LIGHTS = {
  green: t("Enough people"),
  amber: t("Enough people for frequent answers"),
  red: t("Too few people"),
};

// In everyday words; the plan's own are under "Details".
function atFirstSight({ light }, newest) {
  const lamp = make("span", { class: "lamp", "aria-hidden": "true" }),
    heading = make("p", { class: `light ${light}` }, lamp, make("strong", {}, LIGHTS[light])),
    sentences = newest.plan ? learned(newest.plan, light) : found(newest, light);
  return make("div", { class: "verdict" }, heading, ...sentences.map((sentence) => make("p", {}, sentence)));
}

function learned(
  {
    users,
    outlook,
    smallest_frequency: smallest,
    frequency,
    padding,
    more,
    keys,
    mechanism,
    options,
    guessed_mean_error: guessed,
    segment,
  },
  light,
) {
  const people = count(users),
    { frequency_error: error, mean_error: ofMean } = options.find((option) => option.mechanism === mechanism),
    half = Math.min(1, HALF_RANGE * error),
    range = {
      share: percent(round(frequency)),
      low: short(100 * Math.max(0, round(frequency - half))),
      high: short(100 * Math.min(1, round(frequency + half))),
    };
  const isUseful = ofMean !== null && ofMean !== undefined && ofMean < guessed;
  return [
    smallest === 1
      ? t("With {people} people, not even an answer that all choose is sure to stand out from the random noise.", {
          people,
        })
      : t(
          "With {people} people, an answer stands out from the random noise if at least {share} of people choose it (in four of five such surveys, or more).",
          {
            people,
            share: percent(round(smallest)),
          },
        ),
    t(
      "If {share} of people choose an answer, expect the result to say: between about {low} and {high} %, or a wider range.",
      range,
    ),
    segment ? withinGroup(segment) : null,
    isUseful
      ? t("Its average rating will come with a range of about ±{range}, or a wider one.", {
          range: short(round(HALF_RANGE * ofMean)),
        })
      : null,
    ofMean !== null && ofMean !== undefined && !isUseful
      ? t("Its average rating will be no better than a guess.")
      : null,
    more === "sample" && Number.isInteger(keys) && padding < keys
      ? t("At most {answers} of a person count; of more, some are picked at random.", {
          answers: plural(padding, "answer"),
        })
      : null,
    goingOn(light, outlook),
  ].filter(Boolean);
}

// Shares within a group are those of fewer people, and the more groups, the fewer.
function withinGroup({
  label_share: people,
  smallest_share: smallest,
  typical_share: typical,
  smallest_difference: difference,
  hides,
}) {
  const values = {
    people: percent(round(people)),
    share: percent(round(smallest)),
    typical: percent(round(typical)),
    points: short(round(100 * difference)),
  };
  const found = hides
    ? t(
        "If the shares of two such groups, one of them {typical}, are less than about {points} percentage points apart, that mostly stays hidden; so may larger differences, since people may choose more than a response stands for.",
        values,
      )
    : t(
        "If the shares of two such groups, one of them {typical}, are about {points} percentage points apart, that is found in four of five such surveys; smaller differences often stay hidden.",
        values,
      );
  const differing =
    difference === 1
      ? t(
          "If {typical} of one such group choose an answer, no difference to another group is sure to be found.",
          values,
        )
      : found;
  const alone =
    smallest === 1
      ? t(
          "Within a group of {people} of people, not even an answer that all of them choose is sure to stand out.",
          values,
        )
      : t(
          "Within a group of {people} of people, an answer stands out if at least {share} of them choose it. The fewer groups, the better.",
          values,
        );
  return `${alone} ${differing}`;
}

function found({ users, characters, frequency }, light) {
  const values = { people: count(users), letters: count(characters), share: percent(round(frequency)) };
  if (frequency === 1)
    return [t("With {people} people no answer is sure to be found. Try fewer letters, or more people.", values)];
  return [
    t(
      "With {people} people, expect to find an answer that at least {share} of people write: in four of five such surveys it is found.",
      values,
    ),
    t("This is for answers of {letters} letters; shorter ones are found at lower shares.", values),
    light === "green" ? null : t("You can publish if that is enough for you: rarer answers will often be missed."),
  ].filter(Boolean);
}

// Without a mixer and with one, in everyday words; what is proposed, and its ε, are under "Details".
function bothWays({ plan, ...discovery }) {
  const { users, frequency, smallest_frequency: smallest, mixed } = plan ?? discovery,
    { mixer, alone } = mixed,
    values = { honest: count(mixer.honest), batch: count(mixer.batch) },
    seen = (people, share) =>
      (plan ? standsOut : isFound)({ people: count(people), share: percent(round(share)) }, share),
    no = t("No: {seen}", { seen: seen(alone.users, alone.smallest_frequency) }),
    yes = t(
      "Yes: {seen} The privacy level holds towards you if the mixer follows the protocol and at least {honest} responses are honest.",
      { seen: seen(users, plan ? smallest : frequency), ...values },
    );
  return [
    make(
      "div",
      { class: "ways" },
      make("h3", {}, t("Can a party outside your organisation run a mixer?")),
      make("div", {}, make("p", {}, no), make("p", {}, yes)),
    ),
    make(
      "p",
      {},
      t("If fewer than {batch} responses arrive, they are deleted unread, and there is no result.", values),
    ),
  ];
}

const standsOut = (values, share) =>
    share === 1
      ? t("with {people} people, not even an answer that all choose is sure to stand out.", values)
      : t("with {people} people, an answer mostly stands out if at least {share} of them choose it.", values),
  isFound = (values, share) =>
    share === 1
      ? t("with {people} people, not even an answer that all write is sure to be found.", values)
      : t("with {people} people, an answer is mostly found if at least {share} of them write it.", values);

// A table of three columns does not fit beside the form.
function proposed({ title, rows, sentences }) {
  const lines = rows.map(([member, value, meaning]) =>
    make(
      "li",
      {},
      make("code", {}, explained(member, member)),
      " ",
      make("strong", {}, told(value)),
      `, ${told(meaning)}`,
    ),
  );
  return make(
    "div",
    {},
    make("h3", {}, told(title)),
    make("ul", {}, ...lines),
    ...sentences.map((sentence) => make("p", {}, told(sentence))),
  );
}

function detail(section) {
  const { title, sentences, columns, rows, texts } = section;
  if (columns[0] === "member") return proposed(section);
  return make(
    "div",
    {},
    make("h3", {}, told(title)),
    columns.length ? sectionTable(told(title), columns, rows, texts) : null,
    ...sentences.map((sentence) => make("p", {}, told(sentence))),
  );
}

// Words of the plan that the glossary explains by the same names.
const TERMS = ["key", "mechanism", "padding", "epsilon"],
  explained = (word, shown) => (TERMS.includes(word) ? term(word, shown) : shown);

function sectionTable(label, names, rows, texts) {
  const columns = names.map((word, place) => {
    const name = told(word);
    return { name, shown: explained(word, name), number: place >= texts };
  });
  const cells = (row) => row.map((cell) => told(cell));
  return new Table({ columns, row: cells, kind: "compact errors", label }).show(rows).element;
}
