// What may be wrong with a value, in plain words. Each check returns a function from a value to that, or to null.
import { count } from "./page.js";

export const MAX_LINE_BYTES = 256,
  MAX_TEXT_BYTES = 4096,
  MAX_DIGITS = 40;

export const byteCount = (text) => new TextEncoder().encode(text).length;

// Control characters other than line breaks cannot be seen, and no task has them.
export const hasControls = (text) => /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(text.replaceAll("\r\n", "\n"));

export const text =
  ({ maxBytes = MAX_LINE_BYTES, missing } = {}) =>
  (value) => {
    if (!value) return missing ?? null;
    const bytes = byteCount(value);
    if (bytes > maxBytes)
      return `this is too long: it takes ${count(bytes)} bytes (most letters take one), of at most ${count(maxBytes)}`;
    return hasControls(value) ? "this has a tab or another character that cannot be seen" : null;
  };

export const number =
  ({ min, above, max, whole = false, missing } = {}) =>
  (value) => {
    if (value === "") return missing ?? null;
    const given = Number(value);
    if (!Number.isFinite(given)) return "this is not a number";
    if (whole && !Number.isInteger(given)) return "this must be a whole number";
    if (min !== undefined && given < min) return `this must be at least ${count(min)}`;
    if (above !== undefined && given <= above) return `this must be above ${count(above)}`;
    if (max !== undefined && given > max) return `this must be at most ${count(max)}`;
    return null;
  };

// A decimal as tasks have it: without an exponent, which browsers take in number fields.
export const isPlain = (value) => value.length <= MAX_DIGITS && /^-?\d+(\.\d+)?$/.test(value);

export const decimal =
  (options) =>
  (value) =>
    number(options)(value) ?? (value === "" || isPlain(value) ? null : "write this in plain digits, such as 0.5");
