// A choice of the language: those of the page's own sentences, and those of the texts of a survey.
import { make } from "../shared/page.js";
import { LANGUAGES, choose, pageLanguage, preferred, say } from "./join-strings.js";

const base = (tag) => tag.split("-")[0];

// Each language by the name that it gives itself.
function nameOf(tag) {
  const name = new Intl.DisplayNames([tag], { type: "language" }).of(tag);
  return name[0].toLocaleUpperCase(tag) + name.slice(1);
}

function tagsOf(task) {
  const written = task ? [task.about.language, ...Object.keys(task.about.translations)] : [],
    spoken = LANGUAGES.filter((tag) => !written.some((other) => base(other) === tag));
  return [...written, ...spoken].sort();
}

// The one that the page is in now, by what the participant prefers.
function current(tags) {
  const nearest = (wanted) => tags.find((tag) => tag === wanted) ?? tags.find((tag) => base(tag) === base(wanted));
  return preferred().map(nearest).find(Boolean) ?? nearest(pageLanguage());
}

// `onchange` draws the page again.
export function languageField(task, onchange) {
  const tags = tagsOf(task),
    now = current(tags);
  const select = make(
    "select",
    {
      id: "language",
      "aria-label": say("language"),
      onchange: () => {
        choose(select.value);
        onchange();
      },
    },
    ...tags.map((tag) => make("option", { value: tag, lang: tag, selected: tag === now }, nameOf(tag))),
  );
  return make("div", { class: "language" }, select);
}
