// What a form says, before it is published: all that publishing fixes. Each line leads to its step.
import { day, t } from "../shared/language.js";
import { count, make, plural, replace } from "../shared/page.js";
import { endText, levelTexts } from "../shared/ranges.js";

const NONE = t("(left out)"),
  MAX_OPTIONS = 25;

const list = (texts) => make("ul", {}, ...texts.map((text) => make("li", {}, text)));

const counted = (number) =>
  number === 1
    ? t("One of them counts. If someone gives more, it is chosen at random.")
    : t("At most {number} of them count. If someone gives more, these are chosen at random.", {
        number: count(number),
      });

// Names that differ in capital letters alone are options of their own, which few want.
function alike(names) {
  const seen = new Map();
  for (const name of names) {
    const first = seen.get(name.toLowerCase());
    if (first !== undefined && first !== name)
      return make(
        "p",
        { class: "note" },
        t("“{first}” and “{name}” are two different options. Is that meant?", { first, name }),
      );
    seen.set(name.toLowerCase(), name);
  }
  return null;
}

// What people write for "none of these", which the page of participants has by itself.
const NONE_OF = /^(none|nothing|keine?s?|nichts)( (of (these|them|the above)|applies|davon|dessen|trifft.*))?\.?$/iu;

function noneOf(names) {
  const name = names.find((each) => NONE_OF.test(each));
  if (name === undefined) return null;
  return make(
    "p",
    { class: "note" },
    t(
      "“{name}”: the survey's page adds “None of these applies to me” by itself. Is yours meant to be counted as an answer?",
      { name },
    ),
  );
}

// How many answers of one person are reported, which the plan chooses where people may give any number.
function perPerson({ fields, held, tree }, plan) {
  if (fields.keys.isDiscovery) return counted(tree.values().padding);
  const { more, most_pairs: most } = held.values();
  if (more === "refuse")
    return most === 1 ? t("one") : t("at most {number}", { number: most === null ? "…" : count(most) });
  if (!plan) return t("The forecast says how many count.");
  const { padding, keys, size_share: measured } = plan;
  if (typeof keys === "number" && padding >= keys) return t("All of them count.");
  return [counted(padding), measured > 0 ? t("The result says how many people gave more.") : null]
    .filter(Boolean)
    .join(" ");
}

// What answers people write, where they are unknown.
function ofDiscovery({ characters, letters, alphabet, groups }) {
  return [
    [characters.label, characters.value],
    [letters.label, alphabet.element.hidden ? letters.labelOf(letters.value) : alphabet.value],
    groups.value ? [groups.label, groups.value] : null,
  ].filter(Boolean);
}

// The ends and the middle of a scale with what they mean, its unit, and what a response tells of it.
function ofScale({ fields, scale }) {
  const { unit, low_label: poor, middle_label: fair, high_label: great, levels } = fields,
    { low, high, levels: chosen } = scale.values(),
    [first, last] = levelTexts([Number(low), Number(high)]),
    range = { least: endText(first, poor.value), most: endText(last, great.value), middle: fair.value };
  const told = {
    two: () => t("low or high; people choose from the whole scale, and the result has their average"),
    number: () => t("one of {number} levels", { number: count(chosen) }),
    named: () => levelTexts(chosen.map(Number)).join("; "),
  };
  return [
    [
      fields.scale.label,
      fair.value ? t("{least} to {most}; in the middle “{middle}”", range) : t("{least} to {most}", range),
    ],
    [unit.label, unit.value || NONE],
    [levels.as.label, told[levels.as.value]()],
    levels.as.value === "two" ? null : [levels.between.label, levels.between.labelOf(levels.between.value)],
  ].filter(Boolean);
}

// What is learned beyond single answers.
function ofDerived({ segment, together }) {
  const groups = segment.segment(),
    said = groups ? make("span", {}, groups.name, list(groups.labels)) : segment.as.labelOf("none");
  return [
    segment.element.hidden ? null : [segment.label, said],
    together.isOn ? [together.label, t("The result tells it, too.")] : null,
  ].filter(Boolean);
}

function access({ fields, mixing }) {
  if (mixing.isOn) return t("as the mixer decides");
  if (fields.invitations.element.hidden) return t("By one open link");
  return t("By invitation: {number} links", {
    number: fields.invitations.value ? count(Number(fields.invitations.value)) : "…",
  });
}

function rounds({ first, period, rounds: number }) {
  const values = { first: first ? day(first) : "…", days: count(period), number: number && count(number) };
  return number
    ? t("from {first} on, in {number} rounds of {days} days", values)
    : t("from {first} on, in rounds of {days} days, without an end", values);
}

function time({ opens, last }, repeat) {
  if (repeat.isOn) return rounds(repeat.numbers());
  const values = { first: opens.value && day(opens.value), last: last.value && day(last.value) };
  if (opens.value && last.value) return t("from {first} until the end of {last} (world time, UTC)", values);
  if (opens.value) return t("from {first} on, without an end", values);
  return last.value ? t("until the end of {last} (world time, UTC)", values) : t("without an end");
}

// Who mixes the responses, and who draws their random functions.
function ofResponses({ fields, mixing }) {
  const { mixer, mixer_operator: operator, coin } = fields;
  if (mixing.isOn) return [mixer, operator].map(({ label, value }) => [label, value]);
  return coin.value === "server" && !coin.element.hidden ? [[coin.label, coin.labelOf("server")]] : [];
}

export class CheckList {
  // `go` leads to a step.
  constructor(go) {
    this.go = go;
    this.element = make("dl", { class: "facts check-list" });
    // Whether the operator looks at all of a long list of answer options.
    this.isOpen = false;
  }

  // `plan` is null until there is one. On other steps the list is empty: a form with many answers is quick to fill in.
  show(form, plan) {
    if (!form.steps.isLast) return replace(this.element);
    const { fields, isRated } = form,
      { keys, other } = fields,
      chosen = fields.epsilon.preset,
      text = (name) => fields[name].value || NONE;
    const steps = [
      [
        [t("Question"), fields.question.value || fields.name.value || NONE],
        [t("Name"), text("name")],
        [t("Description"), text("description")],
      ],
      [
        [t("Answers"), this.answers(keys)],
        form.other() && !keys.isDiscovery ? [other.label, `${other.as.labelOf("other")}: ${form.other()}`] : null,
        [t("Answers of one person"), perPerson(form, plan)],
        ...(keys.isDiscovery ? ofDiscovery(fields) : []),
        ...(isRated ? ofScale(form) : []),
        ...ofDerived(fields),
        [t("Languages"), fields.translations.inShort()],
      ],
      [
        [t("People"), fields.users.value ? count(Number(fields.users.value)) : NONE],
        [t("How people take part"), access(form)],
        [t("Time"), time(fields, form.repeat)],
        form.repeat.isOn ? [fields.panels.label, fields.panels.value] : null,
        [t("Contact"), text("contact")],
        [t("Who may take part"), text("eligibility")],
        [t("Consent"), text("consent")],
      ],
      [
        [
          t("Privacy"),
          chosen.value === "other"
            ? t("Another level: {number}", { number: fields.epsilon.value })
            : chosen.labelOf(chosen.value),
        ],
        ...ofResponses(form),
      ],
    ];
    const lines = steps.flatMap((step, place) => step.filter(Boolean).map((line) => this.line(place, ...line)));
    replace(this.element, ...lines);
  }

  // All answer options; of many the first ones, and the others on demand.
  answers(keys) {
    if (keys.isDiscovery) return t("unknown: people write them");
    if (keys.isHashed) return t("any text");
    const names = keys.keys(),
      rest = names.length - MAX_OPTIONS;
    if (!Array.isArray(names)) return plural(names, "answer option");
    if (!names.length) return NONE;
    const shown = list(names.slice(0, MAX_OPTIONS)),
      others = rest > 0 ? this.others(names.slice(MAX_OPTIONS), count(rest)) : null;
    return make("span", {}, shown, others, alike(names), noneOf(names));
  }

  // The list is made anew whenever the form changes, and stays open then.
  others(names, rest) {
    const content = make("div"),
      details = make("details", { open: this.isOpen }, make("summary", {}, t("and {rest} more", { rest })), content);
    details.addEventListener("toggle", () => {
      this.isOpen = details.open;
      replace(content, this.isOpen ? list(names) : null);
    });
    return details;
  }

  line(place, label, content) {
    const change = make("button", { type: "button", class: "plain", onclick: () => this.go(place) }, t("Change"));
    change.setAttribute("aria-label", t("Change: {what}", { what: label }));
    return make("div", {}, make("dt", {}, label), make("dd", {}, content, " ", change));
  }
}
