// What the operator of a survey wrote, in the nearest language to those that the participant prefers. Reports use the task's own names.
import { shownText } from "../shared/direction.js";
import { make } from "../shared/page.js";
import { pageLanguage, preferred, speak } from "./join-strings.js";

const shown = new WeakMap();

// Before anything of the task is shown. Most tasks have one language, and load no translations.
export async function translate(task) {
  const { about, keys, other, segment } = task,
    own = about.language,
    hasOthers = Object.keys(about.translations).length > 0,
    chosen = hasOthers ? (await task.inLanguage(preferred())).language : own,
    given = about.translations[chosen] ?? {},
    names = given.keys?.length ? [...keys, other] : [],
    paired = (texts, owns) => new Map(texts?.map((text, index) => [owns[index], text]));
  await speak(chosen, own);
  shown.set(task, {
    own,
    chosen,
    given,
    keys: paired(given.keys, names),
    labels: paired(given.segment_labels, segment?.labels),
  });
}

const NAMES = {
  // A round has the name of its series and a number.
  name: (task) => (task.series ? task.name.replace(/, round \d+$/, "") : task.name),
  segment_name: (task) => task.segment.name,
};

// One of the texts of the task, or its name, or that of its segment.
export const textOf = (task, member) =>
  shownText(shown.get(task).given[member] || (NAMES[member]?.(task) ?? task.about[member]));

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

// How a label of the segment is called.
export const labelOf = (task, label) => shownText(shown.get(task).labels.get(label) ?? label);

// A label within other texts.
export function labelNamed(task, label) {
  const { own, chosen, labels } = shown.get(task);
  return make("bdi", { lang: otherThanPage(labels.has(label) ? chosen : own) }, labelOf(task, label));
}
