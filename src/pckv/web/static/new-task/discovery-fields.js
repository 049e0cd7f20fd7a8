// Keys that nobody knows yet: which texts a discovery can find, and in how many groups of people.
import { number } from "../shared/form-checks.js";
import { TextField } from "../shared/form-fields.js";
import { make } from "../shared/page.js";

const MAX_CHARACTERS = 64,
  MAX_ALPHABET = 255,
  MAX_TEXTS_PER_REPORT = 1000,
  DEFAULT_CHARACTERS = "24";

const upTo = (max, missing) => number({ min: 1, max, whole: true, missing });

// Spaces at its ends are characters of it.
class AlphabetField extends TextField {
  get value() {
    return this.input.value.normalize();
  }

  set value(value) {
    super.value = value;
  }
}

function checkAlphabet(value) {
  const letters = [...value];
  if (!value) return null;
  if (letters.length < 2 || letters.length > MAX_ALPHABET) return `name from 2 to ${MAX_ALPHABET} characters`;
  const repeated = letters.find((letter, place) => letters.indexOf(letter) < place);
  return repeated ? `“${repeated}” is there twice` : null;
}

export class DiscoveryFields {
  constructor() {
    const characters = new TextField(
      "Characters",
      make("input", { type: "number", value: DEFAULT_CHARACTERS }),
      {
        hint: "As many of a text are found, longer ones are cut. Fewer characters find rarer texts.",
        check: upTo(MAX_CHARACTERS, "say how many characters are to be found"),
      },
    );
    const alphabet = new AlphabetField(
      "Alphabet (optional)",
      make("input", { type: "text", autocomplete: "off", spellcheck: "false" }),
      {
        hint: "The characters that texts consist of; texts with any other are not found. Capitals count as small letters unless they are named here. Leave it empty for a to z, 0 to 9, the space, and ! \" # $ % & ' ( ) * + , - . / : ; < = > ? @ [ ] _ ~",
        check: checkAlphabet,
      },
    );
    const groups = new TextField("Groups (optional)", make("input", { type: "number" }), {
      hint: "Leave it empty for one per character. Fewer groups find rarer texts and take longer to compute.",
      check: (value) =>
        upTo(MAX_CHARACTERS)(value) ??
        (Number(value) > Number(characters.value) ? "this must be at most the number of characters" : null),
    });
    const padding = new TextField("Texts per report", make("input", { type: "number", value: "1" }), {
      hint: "A report stands for up to this many texts of one person; of more, for a random choice. With more texts, rare ones are harder to find.",
      check: upTo(MAX_TEXTS_PER_REPORT, "say how many texts a report stands for"),
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
    name: `${name}: keys found`,
    description,
    eligibility,
    consent,
    contact,
    keys: { as: "names", names: names.join("\n") },
    other: { as: "other", name: names.includes("other") ? "all others" : "other" },
  };
}
