// Unlisted keys: which texts a discovery can find, and in how many groups of people.
import { numeric, TextField } from "../shared/form-fields.js";
import { make } from "../shared/page.js";
import { valueOfLanguages } from "./languages-field.js";

const MAX_CHARACTERS = 64,
  MAX_TEXTS_PER_REPORT = 1000,
  DEFAULT_CHARACTERS = "24";

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
    const characters = numeric("Characters", {
      value: DEFAULT_CHARACTERS,
      max: MAX_CHARACTERS,
      hint: "As many of a text are found, longer ones are cut. Fewer characters find rarer texts.",
      missing: "say how many characters are to be found",
    });
    const alphabet = new AlphabetField(
      "Alphabet (optional)",
      make("input", { type: "text", autocomplete: "off", spellcheck: "false" }),
      {
        hint: "The characters that texts consist of; texts with any other are not found. Capitals count as small letters unless they are named here. Leave it empty for a to z, 0 to 9, the space, and ! \" # $ % & ' ( ) * + , - . / : ; < = > ? @ [ ] _ ~",
      },
    );
    const groups = numeric("Groups (optional)", {
      max: MAX_CHARACTERS,
      hint: "Leave it empty for one per character. Fewer groups find rarer texts and take longer to compute.",
    });
    const padding = numeric("Texts per report", {
      value: "1",
      max: MAX_TEXTS_PER_REPORT,
      hint: "A report stands for up to this many texts of one person; of more, for a random choice. With more texts, rare ones are harder to find.",
      missing: "say how many texts a report stands for",
    });
    this.fields = { characters, groups, alphabet, padding };
    const row = (...fields) => make("div", { class: "row" }, ...fields.map(({ element }) => element));
    this.element = make("div", {}, row(characters, groups, padding), alphabet.element);
  }

  // As a form sends them; what is empty takes its default.
  values() {
    const { characters, alphabet, groups, padding } = this.fields;
    return {
      characters: Number(characters.value),
      padding: Number(padding.value),
      ...(alphabet.value ? { alphabet: alphabet.value } : {}),
      ...(groups.value ? { groups: Number(groups.value) } : {}),
    };
  }
}

// The values of these fields for another run of a discovery.
export const valuesOfTree = ({ keys: { characters, alphabet, groups }, padding }) => ({
  characters: String(characters),
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
    name: `${name}: keys found`,
    description,
    eligibility,
    consent,
    contact,
    keys: { as: "names", names: names.join("\n") },
    other: { as: "other", name: names.includes("other") ? "all others" : "other" },
  };
}
