// Hashed keys are unlisted: an analyst names those to look for, by paste or from a file.
import { KeyField } from "../shared/key-field.js";
import { count, make } from "../shared/page.js";

const MAX_CANDIDATES = 100_000;

// `onasked` is called with the keys, each once.
export function candidatesForm(onasked) {
  const list = new KeyField(() => {}, { exact: true }),
    button = make("button", { class: "main" }, "Look for these keys"),
    since = make("p", { role: "status" });

  function ask(event) {
    event.preventDefault();
    if (!list.validate()) return list.names.focus();
    const keys = list.keys();
    if (keys.length > MAX_CANDIDATES) {
      list.listProblem.show(`name at most ${count(MAX_CANDIDATES)} keys at once, not ${count(keys.length)}`);
      return list.names.focus();
    }
    onasked(keys);
  }

  const element = make(
    "form",
    { class: "candidates", novalidate: true, onsubmit: ask },
    make(
      "p",
      {},
      "This task lists no keys: any text is one. Name the texts to look for; which of them people really hold is then told from the noise, with their number in mind. Capitals and spaces matter, also those around a text.",
    ),
    list.listed,
    make("div", { class: "buttons" }, button),
    since,
  );

  // A slow computation starts on request: new reports are only announced.
  function showSince(reports) {
    const text =
      reports > 0
        ? `${count(reports)} more ${reports === 1 ? "report has" : "reports have"} come since: look again to count ${reports === 1 ? "it" : "them"}.`
        : "";
    if (since.textContent !== text) since.textContent = text;
  }

  return { element, showSince };
}
