// What each member of a task may be on its own.
import { isCount, isDayOrNull, isId, isName, isText, isWithin } from "./formats.js";
import { isDecimal, isDecimalBetween } from "./fraction.js";

// Mechanisms and their files; bundlers follow paths that are written out.
export const MECHANISMS = {
  ue: () => import("./mechanisms/ue.js"),
  grr: () => import("./mechanisms/grr.js"),
  "ue-compact": () => import("./mechanisms/ue-compact.js"),
  collision: () => import("./mechanisms/collision.js"),
};

// What participants read, with the most bytes of each text.
const ABOUT = {
  question: 256,
  description: 4096,
  unit: 256,
  low_label: 256,
  middle_label: 256,
  high_label: 256,
  eligibility: 4096,
  consent: 4096,
  contact: 256,
};

// All of them, possibly empty, and nothing else.
export function areTexts(texts) {
  const limits = Object.entries(ABOUT);
  const hasAllMembers = Object.keys(texts).length === limits.length;
  return hasAllMembers && limits.every(([name, maxBytes]) => isText(texts[name], maxBytes));
}

// A subset of BCP 47.
export function isLanguage(tag) {
  return typeof tag === "string" && /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$/.test(tag);
}

function isObject(value) {
  return value?.constructor === Object;
}

// Translations are checked in `translations.js`.
function isAbout(about) {
  const { language, translations, ...texts } = Object(about);
  return isLanguage(language) && isObject(translations) && areTexts(texts);
}

// The keys of a discovery are checked in `discovery.js`.
function areKeys(keys, { kind }) {
  if (kind !== "pairs" || keys === "hashed" || isCount(keys)) return true;
  const isList = Array.isArray(keys) && isCount(keys.length);
  return isList && keys.every(isName) && new Set(keys).size === keys.length;
}

function isRoundOrNull(series) {
  if (series === null) return true;
  const { id, panels, round, ...more } = series;
  const isSound = isId(id) && isWithin(panels, 1, 1001) && isWithin(round, 1, 1e6 + 1);
  return isSound && Object.keys(more).length === 0;
}

function isDecimalOrNull(text) {
  return text === null || isDecimal(text);
}

function oneOf(...allowed) {
  return (value) => allowed.includes(value);
}

// A rule is given its member, and all members.
export const RULES = {
  version: oneOf(1),
  kind: oneOf("pairs", "discovery"),
  name: isName,
  keys: areKeys,
  // Together with levels in `levels.js`.
  low: isDecimalOrNull,
  high: isDecimalOrNull,
  epsilon: (text) => isDecimalBetween(text, "0.000001", "20"),
  padding: isCount,
  mechanism: (mechanism) => Object.keys(MECHANISMS).includes(mechanism?.name),
  more: oneOf("sample", "refuse"),
  size_share: (text) => isDecimalBetween(text, "0", "0.5"),
  about: isAbout,
  coin: oneOf("device", "server"),
  levels: () => true,
  // Checked in `derived.js`.
  segment: (segment) => segment === null || isObject(segment),
  together: (together) => typeof together === "boolean",
  other: (name) => name === null || isName(name),
  between: oneOf("round", "refuse", null),
  opens: isDayOrNull,
  closes: isDayOrNull,
  // Checked in `mixed.js`.
  mixer: (mixer) => mixer === null || isObject(mixer),
  series: isRoundOrNull,
};
