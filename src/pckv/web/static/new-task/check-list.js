// What a form says, in short, before it is published; each line leads to its step.
import { day, t } from "../shared/language.js";
import { count, make, plural, replace } from "../shared/page.js";

const NONE = t("(nothing)");

// What the answer options are, in short.
function answers(form) {
  const { keys } = form.fields;
  if (keys.isDiscovery) return t("unknown: people write them");
  if (keys.isHashed) return t("any text");
  const list = keys.keys();
  if (!Array.isArray(list)) return plural(list, "answer option");
  const shown = list.slice(0, 5).join(", ");
  return list.length > 5 ? t("{list} and {rest} more", { list: shown, rest: count(list.length - 5) }) : shown || NONE;
}

const counted = (number) =>
  number === 1
    ? t("One of them counts. If someone gives more, it is chosen at random.")
    : t("At most {number} of them count. If someone gives more, these are chosen at random.", {
        number: count(number),
      });

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

function access({ fields, mixing }) {
  if (mixing.isOn) return t("as the mixer decides");
  if (fields.invitations.element.hidden) return t("By one open link");
  return t("By invitation: {number} links", { number: fields.invitations.value || "…" });
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
  if (opens.value && last.value) return t("from {first} until the end of {last} (UTC)", values);
  if (opens.value) return t("from {first} on, without an end", values);
  return last.value ? t("until the end of {last} (UTC)", values) : t("without an end");
}

export class CheckList {
  // `go` leads to a step.
  constructor(go) {
    this.go = go;
    this.element = make("dl", { class: "facts check-list" });
  }

  // `plan` is null until there is one.
  show(form, plan) {
    const { fields } = form,
      chosen = fields.epsilon.preset,
      text = (name) => fields[name].value || NONE;
    const lines = [
      [0, t("Question"), fields.question.value || fields.name.value || NONE],
      [0, t("Name"), text("name")],
      [0, t("Description"), text("description")],
      [1, t("Answers"), answers(form)],
      [1, t("Answers of one person"), perPerson(form, plan)],
      [1, t("Languages"), fields.translations.inShort()],
      [2, t("People"), fields.users.value ? count(Number(fields.users.value)) : NONE],
      [2, t("How people take part"), access(form)],
      [2, t("Time"), time(fields, form.repeat)],
      [2, t("Contact"), text("contact")],
      [2, t("Who may take part"), text("eligibility")],
      [2, t("Consent"), text("consent")],
      [3, t("Privacy"), chosen.value === "other" ? `ε = ${fields.epsilon.value}` : chosen.labelOf(chosen.value)],
    ];
    replace(this.element, ...lines.map((line) => this.line(line)));
  }

  line([place, label, text]) {
    const change = make("button", { type: "button", class: "plain", onclick: () => this.go(place) }, t("Change"));
    change.setAttribute("aria-label", t("Change: {what}", { what: label }));
    return make("div", {}, make("dt", {}, label), make("dd", {}, text, " ", change));
  }
}
