// The language of the texts, and the same texts in others: each language is added by its name, and what is left empty
// there is shown to participants in the first one.
import { FieldProblem } from "../shared/form-fields.js";
import { LINE_BREAK } from "../shared/key-list.js";
import { language, t } from "../shared/language.js";
import { choice, count, field, make, replace } from "../shared/page.js";

const TAGS = "de en fr es it pt nl pl tr uk ru ar ro el hr sr cs da sv fi hu bg fa vi zh ja".split(" ");

// Texts of one line each, in the order of those of the survey, and what is said where there are more or fewer.
const LISTS = {
  keys: (numbers) => t("lines: {given}; answer options: {number}", numbers),
  segment_labels: (numbers) => t("lines: {given}; answers about groups: {number}", numbers),
};

const nameOf = (tag) => {
  try {
    return new Intl.DisplayNames([language], { type: "language" }).of(tag);
  } catch {
    return tag;
  }
};

const named = (tags) =>
  tags.map((tag) => [tag, nameOf(tag)]).sort(([, one], [, other]) => one.localeCompare(other, language));

export class LanguagesField {
  // `texts` returns what can be translated: [name, label, text, has lines] each; of lists one by line.
  // `changed` is called with the language before and after the operator chooses another one.
  constructor(texts, changed) {
    this.texts = texts;
    this.label = t("Languages");
    this.own = choice(named(TAGS), language, () => {
      changed(this.before, this.own.value);
      this.before = this.own.value;
      this.draw();
    });
    this.before = language;
    this.adder = choice([], "", () => this.add());
    this.said = make("div");
    this.problem = new FieldProblem(this.own);
    this.element = make(
      "div",
      { class: "translated-texts" },
      field(t("Language of your texts"), this.own),
      this.problem.element,
      this.said,
      field(
        t("Add a language"),
        this.adder,
        t(
          "Participants read the language of their browser, if it is here. What you leave empty they read in the language of your texts.",
        ),
      ),
    );
    this.translations = {};
    this.draw();
  }

  get value() {
    return { language: this.own.value, translations: this.translations };
  }

  set value(value) {
    const { language: own = language, translations = {} } = value || {};
    if (![...this.own.options].some((option) => option.value === own))
      this.own.append(make("option", { value: own }, nameOf(own)));
    this.own.value = this.before = own;
    this.translations = structuredClone(translations);
    this.problem.show(null);
    this.draw();
  }

  add() {
    const tag = this.adder.value;
    if (!tag) return;
    this.translations[tag] = {};
    this.draw();
    this.said.lastElementChild.querySelector("input, textarea, button").focus();
  }

  remove(tag) {
    delete this.translations[tag];
    this.draw();
    this.element.dispatchEvent(new Event("input", { bubbles: true }));
    this.adder.focus();
  }

  // The texts to translate are those that the form says: where the same ones are shown, they only change, so that what is
  // being written keeps the focus.
  update() {
    const texts = new Map(this.texts().map(([name, , text]) => [name, text]));
    if (this.shape() !== this.drawn) return this.draw();
    for (const { name, control } of this.inputs) {
      control.placeholder = texts.get(name);
      if (name in LISTS) control.rows = rowsOf(texts.get(name));
    }
  }

  // Which texts are shown in which languages.
  shape() {
    const tags = Object.keys(this.translations);
    return JSON.stringify([this.own.value, ...tags.map((tag) => [tag, this.shown(tag).map(([name]) => name)])]);
  }

  shown(tag) {
    const texts = this.translations[tag];
    return this.texts().filter(([name, , text]) => text || texts[name]?.length);
  }

  draw() {
    this.inputs = [];
    this.drawn = this.shape();
    const left = TAGS.filter((tag) => tag !== this.own.value && !(tag in this.translations)),
      none = make("option", { value: "" }, t("Choose a language …"));
    replace(this.adder, none, ...named(left).map(([tag, name]) => make("option", { value: tag }, name)));
    this.wrongs = [];
    replace(this.said, ...Object.keys(this.translations).map((tag) => this.drawOne(tag)));
  }

  drawOne(tag) {
    const inputs = this.shown(tag).map(([name, label, text, hasLines]) =>
        this.input({ tag, name, label, text, hasLines }),
      ),
      remove = make(
        "button",
        { type: "button", onclick: () => this.remove(tag) },
        t("Leave out {language}", { language: nameOf(tag) }),
      );
    return make("fieldset", { lang: language }, make("legend", {}, nameOf(tag)), ...inputs, remove);
  }

  input({ tag, name, label, text, hasLines }) {
    const texts = this.translations[tag],
      isList = name in LISTS,
      rows = isList ? rowsOf(text) : 3;
    const control = hasLines
      ? make("textarea", { rows, placeholder: text, lang: tag, spellcheck: "true" })
      : make("input", { type: "text", autocomplete: "off", placeholder: text, lang: tag, spellcheck: "true" });
    control.value = isList ? (texts[name] ?? []).join("\n") : (texts[name] ?? "");
    this.inputs.push({ name, control });
    const element = field(label, control, isList ? t("One per line, in the order of yours.") : null),
      wrong = new FieldProblem(control);
    element.append(wrong.element);
    control.addEventListener("input", () => {
      texts[name] = isList ? linesOf(control.value) : control.value.trim().normalize();
      if (!texts[name].length) delete texts[name];
      if (!wrong.element.hidden) this.validate();
    });
    if (isList) this.wrongs.push({ tag, name, problem: wrong });
    return element;
  }

  // The languages, and of which texts a translation is missing; an address needs none.
  inShort() {
    const others = Object.keys(this.translations).map((tag) => {
      const isMissing = (name) => name !== "contact" && !this.translations[tag][name]?.length,
        missing = this.texts().filter(([name, , text]) => text && isMissing(name)),
        texts = missing.map(([, label]) => label).join(", ");
      return texts ? t("{language} (texts still missing: {texts})", { language: nameOf(tag), texts }) : nameOf(tag);
    });
    return [nameOf(this.own.value), ...others].join(", ");
  }

  // As a task has them: of the texts that the form says.
  about() {
    const names = this.texts().map(([name]) => name);
    return valueOfLanguages(this.value, names);
  }

  // Lists are equally long in every language.
  wrongIn({ tag, name }) {
    const given = this.translations[tag][name]?.length ?? 0,
      { length } = linesOf(this.texts().find((text) => text[0] === name)[2]);
    if (!given || given === length) return null;
    return LISTS[name]({ given: count(given), number: count(length) });
  }

  wrong() {
    if (this.own.value in this.translations) return t("your texts are in this language already");
    return this.wrongs.map((list) => this.wrongIn(list)).find(Boolean) ?? null;
  }

  validate() {
    const twice = this.own.value in this.translations;
    this.problem.show(twice ? t("your texts are in this language already") : null);
    for (const list of this.wrongs) list.problem.show(this.wrongIn(list));
    return this.wrong() === null;
  }
}

const rowsOf = (text) => Math.min(12, linesOf(text).length + 1);

const linesOf = (text) =>
  text
    .split(LINE_BREAK)
    .map((line) => line.trim().normalize())
    .filter(Boolean);

// The field's value for the texts of a task; with `names`, of these texts alone.
export const valueOfLanguages = ({ language: own, translations }, names = null) => {
  const isWanted = ([name, text]) => text.length > 0 && (names === null || names.includes(name)),
    chosen = ([tag, texts]) => [tag, Object.fromEntries(Object.entries(texts).filter(isWanted))];
  return { language: own, translations: Object.fromEntries(Object.entries(translations).map(chosen)) };
};
