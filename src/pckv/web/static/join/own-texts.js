// The texts of a discovery: people write them, one by one, without values. They stay on the device.
import { announce, make } from "../shared/page.js";
import { say } from "./join-strings.js";
import { OwnKeys } from "./own-keys.js";

const MAX_ALPHABET_SHOWN = 80;

function alphabetText({ keys }) {
  const letters = [...keys.alphabet.replace(" ", "")],
    more = letters.length > MAX_ALPHABET_SHOWN ? " …" : "",
    alphabet = letters.slice(0, MAX_ALPHABET_SHOWN).join("") + more;
  return keys.alphabet.includes(" ") ? say("text_spaces", { alphabet }) : alphabet;
}

// In place of a row with a value: the text, and what of it counts.
class TextRow {
  value = 1;
  chosen = true;

  constructor(task, key, onremove) {
    const [text] = task.read([key]),
      note = text === key ? null : make("small", {}, say("text_cut", { text }));
    const button = make(
      "button",
      { type: "button", class: "plain remove", "aria-label": say("remove", { key }), onclick: onremove },
      "×",
    );
    this.key = key;
    this.element = make("li", { class: "chosen text" }, make("span", { class: "name" }, key), note, button);
  }
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

  show(key) {
    const row = new TextRow(this.task, key, () => this.remove(key));
    this.rows.set(key, row);
    this.list.append(row.element);
    this.onchange();
    this.input.focus();
    announce(say("text_added", { key }));
  }
}
