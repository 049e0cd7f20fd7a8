// The JavaScript client as a device that reports to mixed tasks: a database in memory, real requests, and a new page for every
// call.
import { MemoryDatabase } from "./memory-database.mjs";

const client = new URL(import.meta.url).searchParams.get("client");
const { SeriesClient } = await import(`${client}/series.js`);
const { fetch } = globalThis;
const { generateKey } = crypto.subtle;

const POLICY = { tries: 3, seconds: 60, firstPause: 0.001, timeout: 30 };
const database = new MemoryDatabase(() => async () => true);
let early = 0;

Object.defineProperty(globalThis, "navigator", {
  value: { storage: { persist: async () => true } },
  configurable: true,
});
globalThis.indexedDB = database;
// Counts uploads of bytes that are not stored.
globalThis.fetch = (url, options) => {
  const [, , , , id, what] = url.split("/");
  if (what === "sealed") {
    const stored = database.rows.get("reports").get(id)?.report.sealed;
    const isStored =
      stored && Buffer.from(stored).equals(Buffer.from(options.body)) && database.rows.get("spent").has(id);
    early += isStored ? 0 : 1;
  }
  return fetch(url, options);
};

const missing = async () => {
  throw new DOMException("Unrecognized algorithm name", "NotSupportedError");
};

const written = (_, part) => (part instanceof Uint8Array ? Buffer.from(part).toString("base64url") : part);

async function resultOf({ method, url, given, options, clock }) {
  const now = clock ? { clock: () => new Date(clock) } : {};
  const page = new SeriesClient(url, { retryPolicy: POLICY, ...now, ...options });
  try {
    return (await page[method](...given)) ?? null;
  } catch (error) {
    if (error.name !== "PckvError") throw error;
    return { code: error.code, reason: error.message };
  }
}

const ANSWERS = {
  begin: () => {
    database.rows = new Map();
    early = 0;
    return null;
  },
  call: async ({ canSeal, ...call }) => {
    crypto.subtle.generateKey = canSeal ? generateKey : missing;
    return JSON.parse(JSON.stringify(await resultOf(call), written));
  },
  stored: ({ task }) => JSON.parse(JSON.stringify(database.rows.get("reports")?.get(task)?.report ?? null, written)),
  early: () => early,
};

export const answer = (request) => ANSWERS[request.do](request);
