// What the operator of a survey wrote, in the nearest language to those that the participant prefers. Reports use the task's own names.
import { shownText } from "../shared/direction.js";
import { make } from "../shared/page.js";
import { pageLanguage, preferred, speak } from "./join-strings.js";

const shown = new WeakMap();

// Before anything of the task is shown. Most tasks have one language, and load no translations.
export async function translate(task) {
  const { about, keys, other } = task,
    own = about.language,
    hasOthers = Object.keys(about.translations).length > 0,
    chosen = hasOthers ? (await task.inLanguage(preferred())).language : own,
    given = about.translations[chosen] ?? {},
    names = given.keys?.length ? [...keys, ...(other === null ? [] : [other])] : [];
  await speak(chosen, own);
  shown.set(task, { own, chosen, given, keys: new Map(names.map((name, index) => [name, given.keys[index]])) });
}

// One of the texts of the task, or its name.
export function textOf(task, member) {
  // A round has the name of its series and a number.
  const name = task.series ? task.name.replace(/, round \d+$/, "") : task.name,
    own = member === "name" ? name : task.about[member];
  return shownText(shown.get(task).given[member] || own);
}

// The language of a text, where it is another than that of the page.
const otherThanPage = (tag) => (tag.split("-")[0] === pageLanguage() ? undefined : tag);

export function languageOf(task, member) {
  const { own, chosen, given } = shown.get(task);
  return otherThanPage(given[member] ? chosen : own);
}

// An element with one of the texts.
export const written = (tag, task, member, attributes = {}) =>
  make(tag, { lang: languageOf(task, member), dir: "auto", ...attributes }, textOf(task, member));

// How a key, or a text that a participant wrote, is called.
export const nameOf = (task, key) => shownText(shown.get(task).keys.get(key) ?? key);

// A key of the task within other texts; what a participant wrote has no language that is known.
export function named(task, key, attributes = {}) {
  const { own, chosen, keys } = shown.get(task),
    lang = keys.has(key) ? chosen : Array.isArray(task.keys) ? own : pageLanguage();
  return make("bdi", { lang: otherThanPage(lang), ...attributes }, nameOf(task, key));
}

// The language of what has no translations.
export const ownLanguage = (task) => otherThanPage(shown.get(task).own);
