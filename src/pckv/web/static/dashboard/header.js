// The head of all pages for operators: who runs the collector, the menu, and the language.
import { isDisguised } from "../shared/direction.js";
import { DISGUISED, sentence } from "../shared/form-fields.js";
import { choose, LANGUAGES, language, t } from "../shared/language.js";
import { make, replace } from "../shared/page.js";
import { ask } from "../shared/request.js";
import { named } from "../shared/table.js";
import { leaving } from "../shared/unsaved.js";

const brand = make("a", { class: "brand", href: "#/" }, "pckv"),
  newLink = make("a", { href: "#/new" }, t("New survey")),
  organisationLink = make("a", { href: "#/organisation" }, t("Organisation")),
  signOut = make("button", { type: "button", class: "plain" }, t("Sign out"));
const menu = make(
  "nav",
  { id: "menu", "aria-label": t("Menu"), hidden: true },
  make("a", { href: "#/" }, t("Surveys")),
  newLink,
  organisationLink,
  make("a", { href: `/help?lang=${language}`, target: "_blank", rel: "noopener" }, t("Help")),
  signOut,
);

function languages() {
  const button = ([tag, name]) =>
    make(
      "button",
      {
        type: "button",
        class: "plain",
        lang: tag,
        "aria-label": name,
        "aria-pressed": String(tag === language),
        onclick: () => choose(tag),
      },
      tag.toUpperCase(),
    );
  const group = { class: "languages", role: "group", "aria-label": t("Language") };
  return make("div", group, ...Object.entries(LANGUAGES).map(button));
}

export function showHeader(signedOut) {
  signOut.addEventListener("click", () => leaving(signedOut));
  replace(document.getElementById("header"), brand, menu, languages());
  return showOrganisation();
}

// Without a name there is the name of the program.
async function showOrganisation() {
  const { name, logo } = await ask("GET", "/organisation").catch(() => ({ name: null, logo: false })),
    // Another logo has the same address.
    picture = logo ? make("img", { src: `/organisation/logo?${Date.now()}`, alt: name ? "" : t("Logo") }) : null;
  replace(brand, picture, name ? named(name) : logo ? null : "pckv");
}

// `organisation` has a name or null, and may have a logo.
export async function saveOrganisation(organisation) {
  if (organisation.name && isDisguised(organisation.name)) throw new Error(sentence(DISGUISED));
  await ask("PUT", "/organisation", { body: organisation });
  await showOrganisation();
}

// `place` is the first part of the address.
export function showMenu(role, place) {
  menu.hidden = role === null;
  newLink.hidden = organisationLink.hidden = role !== "administrator";
  for (const link of menu.querySelectorAll("a")) {
    if (link.hash === `#/${place}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}
