// All that is seen of a client from outside: requests and when, rows of the database, results and errors. Time and randomness
// are replaced. Every draw of a report is the same number: however many draws some pairs take, what is public of the report
// must be the same.
import { createHash } from "node:crypto";

import { MemoryDatabase } from "./memory-database.mjs";
import { readOnce } from "./series-device.mjs";

const client = new URL(import.meta.url).searchParams.get("client");
const { Task } = await import(`${client}/task.js`);
const { SeriesClient } = await import(`${client}/series.js`);
readOnce(Task);

const ADDRESS = "http://collector.test";
const EXCHANGE = 300;
const retryPolicy = { tries: 3, seconds: 60, firstPause: 1 };

const UNWRITTEN = { NaN: Number.NaN, Infinity: Number.POSITIVE_INFINITY, "1e400": Number.POSITIVE_INFINITY };

/** A value that JSON may have no word for. */
const readValue = (value) => (Array.isArray(value) && value.length ? UNWRITTEN[value[0]] : value);

const heldIn = ({ pairs, other }) =>
  other !== undefined ? other : new Map(pairs.map(([key, value]) => [key, readValue(value)]));

/** Bytes by their purpose, which is told by how many are asked for: the third 16 bytes do not depend on other draws. */
class Randomness {
  counts = new Map();

  constructor(seed, highestByte) {
    this.seed = seed;
    this.draw = this.#bytes("draw", 8);
    this.draw[7] = highestByte * seed;
  }

  #bytes(purpose, length) {
    return createHash("shake256", { outputLength: length }).update(`run ${this.seed} ${purpose}`).digest();
  }

  fill(data) {
    const bytes = new Uint8Array(data.buffer);
    const number = this.counts.get(bytes.length) ?? 0;
    this.counts.set(bytes.length, number + 1);
    if (bytes.length > 16) bytes.forEach((_, at) => (bytes[at] = this.draw[at % 8]));
    else bytes.set(this.#bytes(`${bytes.length} ${number}`, bytes.length));
    return data;
  }
}

// What is no collector may answer at its address, too; the numbers stand for statuses that there are not.
const STRANGERS = { 1: ["text/html", "<h1>Welcome to the hotel</h1>"], 2: ["application/json", "{}"] };

/** A device, its network and its clock. */
class World {
  now = 0;
  seen = [];

  constructor({ contract, coin, closed, failures, seed, highestByte }) {
    Object.assign(this, { contract, coin, closed });
    this.left = structuredClone(failures);
    this.randomness = new Randomness(seed, highestByte);
    this.database = new MemoryDatabase(() => async () => true);
  }

  /** Work in the surroundings of this device. */
  async within(work) {
    const { setTimeout, fetch, indexedDB } = globalThis;
    const { now } = Date;
    const { timeout } = AbortSignal;
    const { getRandomValues } = crypto;
    Object.assign(globalThis, { indexedDB: this.database, fetch: (...given) => this.#fetch(...given) });
    globalThis.setTimeout = (resume, pause) => {
      this.seen.push(["pause", pause]);
      this.now += pause;
      queueMicrotask(resume);
    };
    Date.now = () => this.now;
    AbortSignal.timeout = (milliseconds) => ({ milliseconds });
    // Some browsers ask people.
    navigator.storage.persist = async () => this.seen.push(["persist", this.now]);
    crypto.getRandomValues = (data) => this.randomness.fill(data);
    try {
      return await work();
    } finally {
      Object.assign(globalThis, { setTimeout, fetch, indexedDB });
      Date.now = now;
      AbortSignal.timeout = timeout;
      crypto.getRandomValues = getRandomValues;
    }
  }

  async #fetch(url, options) {
    const { origin, pathname: path } = new URL(url);
    const kind = path.split("/")[3] ?? "contract";
    this.seen.push(["request", this.now, path, { origin, ...options }]);
    this.now += EXCHANGE;
    // A mixer fails as a collector does.
    const status = this.left[kind === "sealed" ? "reports" : kind].shift() ?? 200;
    if (!status) throw new TypeError("no answer");
    if (STRANGERS[status]) {
      const [media, text] = STRANGERS[status];
      return { type: "basic", status: 200, headers: new Map([["Content-Type", media]]), text: async () => text };
    }
    const isRefused = status === 403;
    const contents = {
      contract: this.contract,
      admission: JSON.stringify({ coin: this.coin }),
      reports: '{"refused":[]}',
      sealed: '{"held":true}',
    };
    const headers = new Map([
      ["Content-Type", isRefused ? "application/problem+json" : "application/json"],
      ["Retry-After", "2"],
    ]);
    return {
      type: "basic",
      status,
      headers,
      text: async () => (isRefused ? this.closed : status === 200 ? contents[kind] : ""),
    };
  }

  /** The rows of the database, each with its key. */
  rows() {
    return Array.from(this.database.rows, ([store, rows]) => [store, [...rows]]);
  }

  /** What one call of a new page at a time returns, or its error. */
  async call(time, method, given) {
    this.now = Math.max(time, this.now);
    const page = new SeriesClient(ADDRESS, { cap: 100, localCap: 100, retryPolicy, clock: () => new Date(this.now) });
    try {
      return (await page[method](...given)) ?? null;
    } catch ({ name, code, message }) {
      return { name, code, message };
    }
  }
}

/** Bytes and integers that JSON has no words for, as texts. */
function written(_, part) {
  if (part instanceof Uint8Array) return Buffer.from(part).toString("base64url");
  return typeof part === "bigint" ? String(part) : part;
}

const shown = (value) => JSON.parse(JSON.stringify(value, written));

/** What some calls, one after another and each of a new page, show: results, rows after each, and what else is seen. */
export async function answer({ calls, held, ...given }) {
  const world = new World(given);
  const results = [];
  const rows = [];
  await world.within(async () => {
    for (const { time, method, contract, options } of calls) {
      const holds = method === "submit" || method === "report";
      const parameters = holds ? [contract, heldIn(held), options] : [contract];
      results.push(shown(await world.call(time, method, parameters)));
      rows.push(shown(world.rows()));
    }
  });
  return { results, rows, seen: shown(world.seen), opened: [...world.database.opened].map((text) => JSON.parse(text)) };
}
