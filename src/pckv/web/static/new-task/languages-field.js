// The language of the texts, and the same texts in others: a copy keeps those of its task, and the form changes none.
import { FieldProblem } from "../shared/form-fields.js";
import { make } from "../shared/page.js";

const DEFAULT = "en";

const nameOf = (tag) => {
  try {
    return new Intl.DisplayNames(["en"], { type: "language" }).of(tag);
  } catch {
    return tag;
  }
};

export class LanguagesField {
  constructor() {
    this.label = "Other languages";
    this.input = make("input", { type: "checkbox", id: "languages-kept", checked: true });
    this.words = make("span");
    this.own = make("p", { class: "aside" });
    this.others = make("div", { class: "choices" }, make("label", {}, this.input, this.words));
    this.problem = new FieldProblem(this.input);
    this.element = make("div", { class: "field" }, this.own, this.others, this.problem.element);
    this.input.addEventListener("change", () => this.problem.show(null));
    this.value = {};
  }

  get value() {
    return { language: this.language, translations: this.translations, kept: this.input.checked };
  }

  set value(value) {
    const { language = DEFAULT, translations = {}, kept = true } = value || {};
    Object.assign(this, { language, translations });
    this.input.checked = kept;
    const tags = Object.keys(translations),
      named = tags.some((tag) => translations[tag].keys?.length);
    this.own.textContent = `The texts of this form are in ${nameOf(language)}.`;
    this.words.textContent = `Keep the texts in ${tags.map(nameOf).join(", ")} as the copied task has them${named ? "; they name the keys in the order of this form" : ""}.`;
    this.own.hidden = language === DEFAULT;
    this.others.hidden = !tags.length;
    this.element.hidden = this.own.hidden && this.others.hidden;
    this.problem.show(null);
  }

  // As a task has them.
  about() {
    return { language: this.language, translations: this.input.checked ? this.translations : {} };
  }

  wrong() {
    return null;
  }

  validate() {
    return true;
  }
}

// The field's value for the texts of a task; with `names`, of these texts alone.
export const valueOfLanguages = ({ language, translations }, names = null) => {
  const chosen = ([tag, texts]) => [
      tag,
      Object.fromEntries(Object.entries(texts).filter(([name]) => names.includes(name))),
    ],
    others = names ? Object.fromEntries(Object.entries(translations).map(chosen)) : translations;
  return { language, translations: others, kept: true };
};
