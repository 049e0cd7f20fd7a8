// Unknown answers: which texts can be found, of which letters, and in how many groups of people.
import { ChoiceField, numeric, TextField } from "../shared/form-fields.js";
import { language, t } from "../shared/language.js";
import { make } from "../shared/page.js";
import { more } from "./ask-fields.js";
import { valueOfLanguages } from "./languages-field.js";

const MAX_CHARACTERS = 64,
  MAX_TEXTS_PER_REPORT = 1000,
  DEFAULT_CHARACTERS = "12",
  OWN = "own",
  PLAIN = " !\"#$%&'()*+,-./0123456789:;<=>?@[]_abcdefghijklmnopqrstuvwxyz~";

// The letters of a language beside those of English; what is seldom in answers makes rare ones harder to find.
const LETTERS = {
  en: "",
  de: "äöüß",
  fr: "àâæçéèêëîïôœùûüÿ",
  es: "áéíñóúü¿¡",
  it: "àèéìîòù",
};

const alphabetOf = (tag) => `${PLAIN}${LETTERS[tag]}`;

const sorted = (text) => [...text].sort().join("");

// Spaces at its ends are characters of it.
class AlphabetField extends TextField {
  get value() {
    return this.input.value.normalize();
  }

  set value(value) {
    super.value = value;
  }
}

export class DiscoveryFields {
  constructor() {
    const characters = numeric(t("Letters that are found"), {
      value: DEFAULT_CHARACTERS,
      max: MAX_CHARACTERS,
      hint: t("So many letters of an answer are found, longer answers are cut. Fewer letters find rarer answers."),
      missing: t("say how many letters are to be found"),
    });
    const letters = new ChoiceField(
      t("Letters that answers may have"),
      [
        ["en", t("a to z, numbers and signs")],
        ["de", t("German, with ä, ö, ü and ß")],
        ["fr", t("French, with é, è, ç and others")],
        ["es", t("Spanish, with ñ, á, é and others")],
        ["it", t("Italian, with à, è, ù and others")],
        [OWN, t("Others")],
      ],
      { chosen: language, onchange: () => this.choose() },
    );
    const alphabet = new AlphabetField(
      t("These characters"),
      make("input", { type: "text", autocomplete: "off", spellcheck: "false", value: PLAIN }),
      {
        hint: t(
          "Answers with any other character are not found. Capitals count as small letters unless they are named here.",
        ),
        missing: t("name the characters that answers consist of"),
      },
    );
    const groups = numeric(t("Groups (optional)"), {
      max: MAX_CHARACTERS,
      hint: t("Leave it empty for one per letter. Fewer groups find rarer answers and take longer to compute."),
    });
    const padding = numeric(t("Answers per response"), {
      value: "1",
      max: MAX_TEXTS_PER_REPORT,
      hint: t(
        "A response stands for up to this many answers of one person; of more, for a random choice. With more answers, rare ones are harder to find.",
      ),
      missing: t("say how many answers a response stands for"),
    });
    this.fields = { characters, groups, letters, alphabet, padding };
    this.element = make(
      "div",
      {},
      characters.element,
      letters.element,
      alphabet.element,
      more(make("div", { class: "row" }, padding.element, groups.element)),
    );
    this.choose();
  }

  choose() {
    const { letters, alphabet } = this.fields;
    alphabet.element.hidden = letters.value !== OWN;
  }

  // The letters of the language of the texts, until the operator chooses others.
  follow(before, after) {
    const { letters } = this.fields;
    if (letters.value === before && after in LETTERS) letters.value = after;
  }

  // The fields that count.
  used() {
    const { alphabet, ...others } = this.fields;
    return alphabet.element.hidden ? Object.values(others) : Object.values(this.fields);
  }

  // As a form sends them; what is empty takes its default.
  values() {
    const { characters, letters, alphabet, groups, padding } = this.fields;
    return {
      characters: Number(characters.value),
      padding: Number(padding.value),
      alphabet: letters.value === OWN ? alphabet.value : alphabetOf(letters.value),
      ...(groups.value ? { groups: Number(groups.value) } : {}),
    };
  }
}

// The values of these fields for another run of a discovery.
export const valuesOfTree = ({ keys: { characters, alphabet, groups }, padding }) => ({
  characters: String(characters),
  letters: Object.keys(LETTERS).find((tag) => sorted(alphabetOf(tag)) === sorted(alphabet)) ?? OWN,
  alphabet,
  groups: String(groups),
  padding: String(padding),
});

// The values of a form that measures the keys which a discovery found, and all others as one.
export function valuesOfFound({ about, name }, keys) {
  const { description, eligibility, consent, contact } = about,
    names = keys.map(({ key }) => key);
  return {
    translations: valueOfLanguages(about, ["description", "eligibility", "consent", "contact"]),
    name: t("{name}: answers found", { name }),
    description,
    eligibility,
    consent,
    contact,
    keys: { as: "names", names: names.join("\n") },
    other: { as: "other", name: names.includes(t("other")) ? t("all others") : t("other") },
  };
}
