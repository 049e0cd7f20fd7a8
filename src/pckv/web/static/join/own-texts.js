// The texts of a discovery: people write them, one by one, without values. They stay on the device.
import { make } from "../shared/page.js";
import { say } from "./join-strings.js";
import { OwnKeys } from "./own-keys.js";

const MAX_ALPHABET_SHOWN = 80;

function alphabetText({ keys }) {
  const letters = [...keys.alphabet.replace(" ", "")],
    more = letters.length > MAX_ALPHABET_SHOWN ? " …" : "",
    alphabet = letters.slice(0, MAX_ALPHABET_SHOWN).join("") + more;
  return keys.alphabet.includes(" ") ? say("text_spaces", { alphabet }) : alphabet;
}

export class OwnTexts extends OwnKeys {
  hint() {
    return `${super.hint()} ${say("text_alphabet", { count: this.task.keys.characters, alphabet: alphabetText(this.task) })}`;
  }

  // A text that no report could be about is not taken: people may write it in another way.
  wrong(key) {
    const { characters } = this.task.keys,
      letter = [...key].slice(0, characters).find((each) => !this.task.read([each]).length);
    if (!key) return say("own_empty");
    if (this.rows.has(key)) return say("own_again", { key });
    return letter === undefined ? "" : say("text_unknown", { letter });
  }

  // What of the text counts stands below it.
  note(key) {
    const [text] = this.task.read([key]);
    return text === key ? null : make("small", {}, say("text_cut", { text }));
  }
}
