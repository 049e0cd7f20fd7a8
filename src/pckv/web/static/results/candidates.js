// Hashed keys are unlisted: an analyst names those to look for, by paste or from a file.
import { CANDIDATES } from "../shared/draft.js";
import { KeyField } from "../shared/key-field.js";
import { t } from "../shared/language.js";
import { count, make } from "../shared/page.js";

const MAX_CANDIDATES = 100_000;

// Kept for this tab: a list that took long to find would be lost whenever the page is loaded again.
const place = (id) => `${CANDIDATES}${id}`;

function remembered(id) {
  try {
    return JSON.parse(sessionStorage.getItem(place(id)));
  } catch {
    return null;
  }
}

function remember(id, keys) {
  try {
    sessionStorage.setItem(place(id), JSON.stringify(keys));
  } catch {
    // Without room or permission they are written again by hand.
  }
}

// The form for a task with this id. `onasked` is called with the keys, each once.
export function candidatesForm(id, onasked) {
  const list = new KeyField(() => {}, { exact: true }),
    button = make("button", { class: "main" }, t("Look for these answers"));

  function ask(event) {
    event.preventDefault();
    if (!list.validate()) return list.names.focus();
    const keys = list.keys();
    if (keys.length > MAX_CANDIDATES) {
      const numbers = { most: count(MAX_CANDIDATES), given: count(keys.length) };
      list.listProblem.show(t("name at most {most} answers at once, not {given}", numbers));
      return list.names.focus();
    }
    remember(id, keys);
    onasked(keys);
  }

  // What was asked for in this tab is asked for again.
  function restore() {
    const keys = remembered(id);
    if (!keys?.length) return;
    list.text = keys.join("\n");
    list.tell();
    onasked(keys);
  }

  const element = make(
    "form",
    { class: "candidates", novalidate: true, onsubmit: ask },
    make(
      "p",
      {},
      t(
        "People wrote their answers themselves. Name the answers to look for: the results then say which of them people really gave. Capitals and spaces matter, also those around a text.",
      ),
    ),
    list.listed,
    make("div", { class: "buttons" }, button),
  );

  return { element, restore };
}
