// What is left of a deleted task: whether its reports are erased from the database's files too.
import { alertBox, announce, make, plural, replace } from "../shared/page.js";

const WORDS = {
  done: "They are erased from the files of the database too. Backups and downloads stay where they are.",
  pending:
    "They are not yet erased from the files of the database: it may be in use, or it has to be cleaned up first. With SQLite the collector does that by itself, usually within seconds; with PostgreSQL its administrator has to (see “Delete and back up” in the documentation).",
};

export function showDeleted(root, name, deletion, again) {
  const title = make("h1", { tabindex: "-1" }, `“${name}” is deleted`),
    state = make("p", { class: "note", id: "erasure" }),
    said = make("div"),
    button = make("button", { type: "button", onclick: ask }, "Ask again");
  document.title = "Deleted – pckv";
  replace(
    root,
    title,
    make("p", {}, `${plural(deletion.reports, "report")} deleted: nothing shows or counts them any more.`),
    state,
    said,
    make("div", { class: "buttons" }, button),
    make("p", {}, make("a", { href: "#/" }, "All tasks")),
  );
  show(deletion);
  title.focus();

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
