// What the participant's page says, in the language that fits, and how that language writes numbers, days and names.
import { inSentence } from "../shared/direction.js";
import en from "./strings-en.js";

// Those that the page is written in.
export const LANGUAGES = ["en", "de"];

// The first of some languages that the page has.
const known = (tags) => tags.map((tag) => tag.split("-")[0].toLowerCase()).find((tag) => LANGUAGES.includes(tag));

export const told = (name) => globalThis.document?.querySelector(`meta[name=${name}]`)?.content;

const CHOSEN = "pckv-join-language";

// The language that was chosen on this page, for as long as its tab is open, and then those of the browser.
export function preferred() {
  try {
    return [sessionStorage.getItem(CHOSEN), ...navigator.languages].filter(Boolean);
  } catch {
    // A browser that keeps nothing, or none.
    return navigator.languages;
  }
}

export const choose = (tag) => sessionStorage.setItem(CHOSEN, tag);

let strings = en,
  language = "en",
  plurals,
  numbers,
  percents,
  ratios,
  days,
  collator;

// A person who prefers none of the page's languages gets that of the operator's texts, if it is one of them. Only the
// sentences of a language that is spoken are loaded; where they cannot be, the page goes on in the one that it has.
export async function speak(...further) {
  const wanted = known([...preferred(), ...further]) ?? "en";
  try {
    strings = wanted === "en" ? en : (await import(`./strings-${wanted}.js`)).default;
    language = wanted;
  } catch (error) {
    console.error(error);
  }
  plurals = new Intl.PluralRules(language);
  numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 15 });
  percents = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 });
  // Up, since the sentences say that no ratio is larger.
  ratios = new Intl.NumberFormat(language, { maximumSignificantDigits: 3, roundingMode: "ceil" });
  // As in the region that the browser names, such as en-GB.
  const regional = navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;
  days = new Intl.DateTimeFormat(regional, { dateStyle: "long", timeZone: "UTC" });
  collator = new Intl.Collator(language, { numeric: true });
}

await speak();

export const pageLanguage = () => language;

// Who asks: by its name where the page has it. In German the other words have a case.
function askers() {
  const called = (key) => told("organisation") ?? strings[key];
  return { asker: called("organisation"), of_asker: called("of_organisation") };
}

// A sentence in the person's language; numbers are written as that language writes them.
export function say(key, given = {}) {
  const found = strings[key],
    values = { ...askers(), ...given },
    text = typeof found === "string" ? found : found[plurals.select(values.count)];
  // A name that ends with a full stop ends a sentence too.
  return text.replace(/\{(\w+)\}(\.?)/g, (_, name, stop) => {
    const value = typeof values[name] === "number" ? number(values[name]) : inSentence(String(values[name]));
    return value.endsWith(".") ? value : value + stop;
  });
}

// The sign of a number is a minus, where Intl writes a hyphen.
export const number = (value) => numbers.format(value).replace("-", "−");

// The number and its sign stay in one line.
export const percent = (share) => `${percents.format(100 * share)}\u00a0%`;

export const ratio = (factor) => ratios.format(factor);

// A day as YYYY-MM-DD, and some days later.
export const day = (text, later = 0) => days.format(Date.parse(text) + later * 86_400_000);

// A number of days, minutes or seconds.
export const lasting = (value, unit) =>
  new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(value);

export const anyOf = (items) => new Intl.ListFormat(language, { type: "disjunction" }).format(items);

export const compareNames = (one, other) => collator.compare(one, other);
