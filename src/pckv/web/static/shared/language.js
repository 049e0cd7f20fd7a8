// The language of a page for operators and readers of results: the one that was chosen here, or the first of the
// browser's that there is. Texts are written in English where they are shown; their German stands in `german/`, by the
// English text. The page names its catalogs in an attribute, so that an English page loads none.

import { shownText } from "./direction.js";

// Those that there are, by their own names.
export const LANGUAGES = { en: "English", de: "Deutsch" };
const STORED = "pckv-language",
  MILLISECONDS_PER_DAY = 86_400_000;

function chosen() {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}

// Tests call what needs no page in Node.js, which has none.
const offered = globalThis.navigator?.languages ?? [];
// The languages of the reader, the best first: what was chosen here, then those of the browser.
export const preferred = [chosen(), ...offered].filter(Boolean);
export const language = preferred.map((tag) => tag.split("-")[0]).find((tag) => Object.hasOwn(LANGUAGES, tag)) ?? "en";

const root = globalThis.document?.documentElement,
  named = root?.dataset.catalogs?.split(" ") ?? [],
  german = language === "de" ? await inGerman() : {};
if (named.length) root.lang = language;

async function inGerman() {
  const loaded = await Promise.all(named.map((name) => import(`../german/${name}.js`)));
  return Object.assign({}, ...loaded.map((catalog) => catalog.default));
}

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (hole, name) => shownText(String(values[name] ?? hole)));

// A text of the page in its language, with values in place of its {names}.
export const t = (text, values = {}) => filled(german[text] ?? text, values);

// A number in all its digits, with the decimal sign of the language.
export const allDigits = (number) => (language === "de" ? String(number).replace(".", ",") : String(number));

// As in the region that the browser names, such as en-GB.
const daysIn = (tag) => {
  const regional = offered.find((each) => each.split("-")[0] === tag) ?? tag,
    days = new Intl.DateTimeFormat(regional, { dateStyle: "long", timeZone: "UTC" });
  return (text) => days.format(new Date(`${text}T00:00Z`));
};

// A day such as "2030-01-15" in words.
export const day = daysIn(language);

// The same for texts that are written in a language of their own, whatever that of the page.
export async function inLanguage(tag) {
  const catalog = tag === "de" ? await inGerman() : {};
  return { tag, t: (text, values = {}) => filled(catalog[text] ?? text, values), day: daysIn(tag) };
}

// The current day in UTC.
export const today = () => new Date().toISOString().slice(0, 10);

const shifted = (text, days) =>
  new Date(Date.parse(`${text}T00:00Z`) + days * MILLISECONDS_PER_DAY).toISOString().slice(0, 10);

// The last day before another, such as the last one on which a survey that closes on that one takes responses.
export const dayBefore = (text) => shifted(text, -1);

// The day on which a survey closes that takes responses until the end of another one.
export const dayAfter = (text) => shifted(text, 1);

// Loads the page again in another language, which this browser remembers.
export function choose(tag) {
  localStorage.setItem(STORED, tag);
  location.reload();
}
