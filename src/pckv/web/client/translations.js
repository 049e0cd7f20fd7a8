// What participants read in other languages than the task's own.
import { checkTask } from "./errors.js";
import { isName, isText } from "./formats.js";
import { areTexts, isLanguage } from "./task-rules.js";

const MAX_TRANSLATIONS = 16;

export function checkTranslations({ about, keys, other, segment }) {
  const { language, translations } = about;
  const entries = Object.entries(translations);
  checkTask(entries.length <= MAX_TRANSLATIONS, "too many translations");
  // Only keys with names have names in other languages.
  const keyCount = Array.isArray(keys) ? keys.length + (other !== null) : 0;
  // The segment itself is checked in `derived.js`.
  const labelCount = segment?.labels?.length ?? 0;
  for (const [tag, translation] of entries) {
    const isSound = isLanguage(tag) && tag !== language && isTranslation(translation, keyCount, labelCount);
    checkTask(isSound, `translation ${tag}`);
  }
}

function isTranslation(translation, keyCount, labelCount) {
  const { name, keys, segment_name: question, segment_labels: labels, ...texts } = Object(translation);
  const areSound = areTexts(texts) && [name, question].every((text) => isText(text));
  return areSound && areNames(keys, keyCount) && areNames(labels, labelCount) && (labelCount > 0 || question === "");
}

// As many as the task has, or none, for those of the task itself.
function areNames(names, count) {
  if (!Array.isArray(names)) return false;
  const isComplete = names.length === count && new Set(names).size === count;
  return names.length === 0 || (isComplete && names.every(isName));
}

// What stands for the names of the task.
const ownNames = () => ({ name: "", keys: [], segment_name: "", segment_labels: [] });

// Texts that a translation does not have are the task's own; names that are empty stand for those of the task.
export function shownIn({ language, translations, ...own }, preferred) {
  const tag = nearestOf([language, ...Object.keys(translations)], preferred) ?? language;
  const given = { ...ownNames(), ...translations[tag] };
  const texts = Object.entries(own).map(([member, text]) => [member, given[member] || text]);
  return { ...given, language: tag, ...Object.fromEntries(texts) };
}

// By the first preferred language that there is: the same tag, or a shorter one, or any of the same language.
function nearestOf(tags, preferred) {
  for (const wanted of preferred) {
    const parts = wanted.toLowerCase().split("-");
    const shorter = parts.map((_, dropped) => parts.slice(0, parts.length - dropped).join("-"));
    for (const candidate of shorter) {
      const found = tags.find((tag) => tag.toLowerCase() === candidate);
      if (found) return found;
    }
    const related = tags.find((tag) => tag.split("-")[0] === parts[0]);
    if (related) return related;
  }
}
