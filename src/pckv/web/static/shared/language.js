// The language of a page for operators and readers of results: the one that was chosen here, or the first of the
// browser's that there is. Texts are written in English where they are shown; their German stands in `german/`, by the
// English text. The page names its catalogs in an attribute, so that an English page loads none.

const LANGUAGES = ["en", "de"],
  STORED = "pckv-language";

function chosen() {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}

const preferred = [chosen(), ...navigator.languages].map((tag) => tag?.split("-")[0]);
export const language = preferred.find((tag) => LANGUAGES.includes(tag)) ?? "en";

const named = document.documentElement.dataset.catalogs?.split(" ") ?? [],
  loaded = await Promise.all((language === "de" ? named : []).map((name) => import(`../german/${name}.js`))),
  german = Object.assign({}, ...loaded.map((catalog) => catalog.default));
if (named.length) document.documentElement.lang = language;

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (hole, name) => values[name] ?? hole);

// A text of the page in its language, with values in place of its {names}.
export const t = (text, values = {}) => filled(german[text] ?? text, values);

// Loads the page again in another language, which this browser remembers.
export function choose(tag) {
  localStorage.setItem(STORED, tag);
  location.reload();
}
