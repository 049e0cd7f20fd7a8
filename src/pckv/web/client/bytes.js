// Bytes as texts, numbers and hashes.
import { check } from "./errors.js";

const encoder = new TextEncoder();

export function encodeText(text) {
  return encoder.encode(text);
}

// Base64 for addresses (RFC 4648, section 5), without padding.
export function toBase64url(bytes) {
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function fromBase64url(text) {
  const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
}

// The id of a task or series: its digest as a number, in 43 digits, the first of which is a letter from A to P.
export function toId(digest) {
  return toBase64url([0, ...digest]).slice(1);
}

export function digestOfId(id) {
  return fromBase64url(`A${id}`).slice(1);
}

// SHA-256 of the browser, for callers that can wait; `sha256.js` is for those that cannot.
export async function digest(bytes) {
  const advice = "serve the page by https or from localhost";
  check(crypto.subtle, "no_crypto", `tasks are checked by crypto.subtle: ${advice}`);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

// The body of every mechanism but `ue` is one word of 64 bits.
export function writeWord(word) {
  const body = new Uint8Array(8);
  new DataView(body.buffer).setBigUint64(0, word, true);
  return body;
}

export function readWord(body) {
  return new DataView(body.buffer, body.byteOffset).getBigUint64(0, true);
}
