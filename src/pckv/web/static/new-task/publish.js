// The question before a survey is published: its first button is the way back.
import { t } from "../shared/language.js";
import { make, replace } from "../shared/page.js";

export const FIXED = t(
  "Questions, answers, languages, privacy level and the last day can't be changed after this. “Duplicate and change” makes a new survey of it.",
);

export function publishDialog(work) {
  const title = make("h2", {}),
    said = make("div"),
    back = make("button", { type: "button", onclick: () => element.close() }, t("Cancel")),
    publish = make("button", { type: "button", class: "main", onclick: go }, t("Publish the survey now"));
  const element = make(
    "dialog",
    { "aria-label": t("Publish the survey") },
    title,
    said,
    make("p", {}, FIXED),
    make("div", { class: "buttons" }, back, publish),
  );
  function go() {
    element.close();
    work();
  }
  return {
    element,
    // `questions` are in the languages of the survey; `reminder` is what the forecast says against it.
    open({ name, questions }, reminder) {
      title.textContent = t("Publish “{name}”?", { name });
      replace(
        said,
        questions.length ? make("p", {}, t("Check the spelling once more:")) : null,
        ...questions.map((question) => make("p", {}, make("strong", { dir: "auto" }, question))),
        reminder,
      );
      element.showModal();
    },
  };
}
