// Forms of single values in tasks and series.
import { encodeText } from "./bytes.js";

// From `low` on and below `end`.
export function isWithin(number, low, end) {
  return Number.isInteger(number) && number >= low && number < end;
}

export function isCount(number) {
  return isWithin(number, 1, 2 ** 31 + 1);
}

// YYYY-MM-DD, or null for no day.
export function isDayOrNull(day) {
  if (day === null) return true;
  return /^(?!0000)\d{4}-/.test(day) && new Date(day).toJSON()?.slice(0, 10) === day;
}

export const MAX_NAME_BYTES = 256;

// In normal form C and without control characters; longer texts than names may have several lines.
export function isText(text, maxBytes = MAX_NAME_BYTES) {
  if (typeof text !== "string") return false;
  const line = maxBytes > MAX_NAME_BYTES ? text.replaceAll("\n", "") : text;
  return !/[\p{Cc}\p{Cs}]/u.test(line) && text.normalize() === text && encodeText(text).length <= maxBytes;
}

export function isName(name) {
  return name !== "" && isText(name);
}

// 32 bytes in base64url: the first of 43 letters has only 4 bits.
export function isId(id) {
  return /^[A-P][\w-]{42}$/.test(id);
}

// Upper case in between joins letters that have two lower cases.
function foldCase(name) {
  return name.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC");
}

// A survey is its name as people read it, whatever its task's id: case, width, invisible characters and the
// number of spaces make no difference.
export function surveyOf(name) {
  return foldCase(name.replace(/[\p{Cf}\p{DI}]/gu, ""))
    .trim()
    .replace(/\s+/g, " ");
}
