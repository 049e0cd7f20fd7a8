// Requests to a collector, and what its answers mean.
import { PckvError, check } from "./errors.js";
import { isId } from "./formats.js";

const SECOND = 1000;
// No answer, and the answers of a collector that is busy; so are all from 500 on.
const TEMPORARY = [0, 408, 425, 429];
// Problems after which the same report would be refused again, by status; and those with status 403.
const FINAL = [400, 404, 410, 413, 415];
const FINAL_KINDS = ["closed", "invitation-spent", "invitation-unknown"];
const UNKNOWN_ANSWER = "an answer that is not a collector's";

export function checkedUrl(url) {
  const isSound = /^https?:\/\/[\w.:[\]-]+(\/[^?#\s]*)?$/.test(url) && URL.canParse(url);
  check(isSound, "bad_parameter", `${url} is not a collector's address, like https://example.org`);
  return url.replace(/\/+$/, "");
}

export function checkedId(id) {
  check(isId(id), "wrong_task", `${id} is not a task's id`);
  return id;
}

// The answer to a request, which is tried again after random pauses:
// - status (0 without an answer) and text as they came, and whether the answer is `temporary`;
// - said: the JSON of a collector that answers 200, `{}` if it is not a collector's;
// - kind: the kind of a collector's problem; undefined if there is none;
// - reason: why the request did not do what it was for.
export async function ask(url, options, retryPolicy = {}) {
  const { tries = 4, seconds = 20, firstPause = 0.5, timeout = 10 } = retryPolicy;
  const end = Date.now() + SECOND * seconds;
  let maxPause = SECOND * firstPause;
  for (let attempt = 1; ; attempt++) {
    const answer = await request(url, options, Math.min(SECOND * timeout, end - Date.now()));
    const temporary = TEMPORARY.includes(answer.status) || answer.status >= 500;
    const pause = Math.max(maxPause * randomShare(), SECOND * answer.retryAfter || 0);
    const isLast = attempt >= tries || Date.now() + pause >= end;
    if (!temporary || isLast) return { ...answer, temporary, ...meaningOf(answer) };
    await new Promise((resolve) => setTimeout(resolve, pause));
    maxPause *= 2;
  }
}

function randomShare() {
  const [drawn] = crypto.getRandomValues(new Uint32Array(1));
  return drawn / 2 ** 32;
}

async function request(url, options, milliseconds) {
  try {
    const response = await fetch(url, {
      ...options,
      cache: "no-store",
      credentials: "omit",
      redirect: "manual",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(Math.max(1, milliseconds)),
    });
    const status = response.type === "opaqueredirect" ? 300 : response.status;
    const [mediaType] = (response.headers.get("Content-Type") ?? "").toLowerCase().split(/ *;/);
    const retryAfter = response.headers.get("Retry-After");
    return { status, mediaType, retryAfter, text: await response.text(), note: `HTTP ${status}` };
  } catch (error) {
    return { status: 0, note: `no answer (${error.message})` };
  }
}

// Only a collector's own answers mean something; what else answers at its address is not believed.
function meaningOf({ status, mediaType, text, note }) {
  const parsed = parsedObject(text);
  if (status === 200) return { said: mediaType === "application/json" ? parsed : {}, reason: UNKNOWN_ANSWER };
  const hasMembers = !Array.isArray(parsed) && Object.keys(parsed).length > 0;
  const isProblem = mediaType === "application/problem+json" && hasMembers;
  if (!isProblem) return { reason: note };
  const kind =
    codeIn(
      String(parsed.type ?? "")
        .split(":")
        .at(-1),
    ) ?? note;
  const detail = String(parsed.detail ?? "")
    .slice(0, 200)
    .replace(/[\s\p{C}]+/gu, " ")
    .trim();
  return { kind, reason: detail === "" ? kind : `${kind}: ${detail}` };
}

function parsedObject(text) {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

// Undefined if a text is not a code.
function codeIn(text) {
  return /^[a-z][a-z_-]{0,39}$/.exec(text)?.[0];
}

// The code of the error for an answer: the collector's, if it decided.
export function errorCodeOf({ kind, temporary }) {
  return kind && !temporary ? kind.replaceAll("-", "_") : "not_sent";
}

// Throws with a reason in words; `end` says what that means for the participant.
export async function refuse(code, what, reason, end = "") {
  // Offline, the file with the words may be missing.
  const { explain = String } = await import("./words.js").catch(() => ({}));
  throw new PckvError(code, `${what}: ${explain(reason)}${end}`);
}

// Throws what an answer says unless a condition holds; nothing is perturbed then.
export async function requireAnswer(answer, condition, what) {
  if (!condition) await refuse(errorCodeOf(answer), what, answer.reason, "; nothing was perturbed");
}

// What the answer to an upload makes of a report. Only a collector decides; until then the report waits.
export function outcomeOf({ status, said, kind, reason }, reportId) {
  if (said) return outcomeOfUpload(said, reportId, reason);
  const isFinal = kind && (FINAL.includes(status) || (status === 403 && FINAL_KINDS.includes(kind)));
  // As in the answer to an upload, where codes have no hyphens.
  const code = kind?.replaceAll("-", "_");
  return { status: isFinal ? "refused" : "waiting", reason: kind ? reason.replace(kind, code) : reason };
}

function outcomeOfUpload({ refused }, reportId, reason) {
  const waiting = { status: "waiting", reason };
  if (!Array.isArray(refused)) return waiting;
  if (refused.length === 0) return { status: "sent", reason: "" };
  const [first] = refused;
  const isOwn = refused.length === 1 && first?.id === reportId && typeof first.reason === "string";
  return isOwn ? { status: "refused", reason: codeIn(first.reason) ?? "an unknown reason" } : waiting;
}
