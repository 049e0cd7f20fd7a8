// The first page of a new survey: a template to begin with, or a draft to go on with.
import { language, t } from "../shared/language.js";
import { make, replace } from "../shared/page.js";
import { parted } from "../shared/table.js";
import { draftList } from "./drafts.js";
import { TEMPLATES } from "./templates.js";

const card = ([name, { title, text }]) =>
  make(
    "li",
    {},
    make("a", { class: "template", href: `#/new?template=${name}` }, make("strong", {}, title), make("span", {}, text)),
  );

export function startPage(root) {
  replace(
    root,
    make("h1", {}, t("New survey")),
    make("p", {}, t("What should people do? You can change everything until you publish, and nothing is public yet.")),
    make(
      "p",
      {},
      ...parted(t("The noise that protects people hides what only a few choose: {link}"), {
        link: make("a", { href: `/help/people?lang=${language}`, target: "_blank" }, t("How many people are enough?")),
      }),
    ),
    make("ul", { class: "templates" }, ...Object.entries(TEMPLATES).map(card)),
    draftList(),
  );
}
