// What is left of a survey that is deleted for good: whether its responses are erased from the database's files too.
import { t } from "../shared/language.js";
import { alertBox, announce, make, plural, replace } from "../shared/page.js";

const WORDS = {
  done: t("They are erased from the files of the database too. Backups and downloads stay where they are."),
  pending: t(
    "They are not yet erased from the files of the database: it may be in use, or it has to be cleaned up first. With SQLite the collector does that by itself, usually within seconds; with PostgreSQL its administrator has to (see “Delete and back up” in the documentation).",
  ),
};

// `again` asks the collector once more.
export function erasureSaid(name, deletion, again) {
  const state = make("p", { class: "note", id: "erasure" }),
    said = make("div"),
    button = make("button", { type: "button", onclick: ask }, t("Ask again"));
  show(deletion);
  return [
    make(
      "p",
      {},
      t("“{name}” is deleted for good: {responses} deleted.", {
        name,
        responses: plural(deletion.reports, "response"),
      }),
    ),
    state,
    said,
    make("div", { class: "buttons" }, button),
  ];

  function show({ erasure }) {
    state.textContent = WORDS[erasure];
    state.dataset.erasure = erasure;
    button.hidden = erasure === "done";
  }

  async function ask() {
    try {
      show(await again());
      replace(said);
      announce(state.textContent);
    } catch (error) {
      replace(said, alertBox(error.message));
    }
  }
}

// The page of a survey that was just deleted.
export function showDeleted(root, title, ...content) {
  const head = make("h1", { tabindex: "-1" }, title);
  document.title = `${t("Deleted")} – pckv`;
  replace(root, head, ...content, make("p", {}, make("a", { href: "#/" }, t("All surveys"))));
  head.focus();
}
