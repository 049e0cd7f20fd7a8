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

function time({ closes }, repeat) {
  if (repeat.isOn) return t("in rounds of {days} days", { days: repeat.numbers().period });
  return closes.value ? t("until the day before {day}", { day: day(closes.value) }) : t("without an end");
}

export class CheckList {
  // `go` leads to a step.
  constructor(go) {
    this.go = go;
    this.element = make("dl", { class: "facts" });
  }

  show(form) {
    const { fields } = form,
      tags = Object.keys(fields.translations.value.translations),
      chosen = fields.epsilon.preset;
    const lines = [
      [0, t("Question"), fields.question.value || fields.name.value || NONE],
      [0, t("Name"), fields.name.value || NONE],
      [1, t("Answers"), answers(form)],
      [2, t("People"), fields.users.value ? count(Number(fields.users.value)) : NONE],
      [2, t("Time"), time(fields, form.repeat)],
      [3, t("Privacy"), chosen.labelOf(chosen.value)],
      [4, t("Further languages"), tags.length ? count(tags.length) : t("none")],
    ];
    replace(this.element, ...lines.map((line) => this.line(line)));
  }

  line([place, label, text]) {
    const change = make("button", { type: "button", class: "plain", onclick: () => this.go(place) }, t("Change"));
    change.setAttribute("aria-label", t("Change: {what}", { what: label }));
    return make("div", {}, make("dt", {}, label), make("dd", {}, text, " ", place === 4 ? null : change));
  }
}
