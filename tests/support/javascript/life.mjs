// The JavaScript client as a device that lives for years: two pages on one database, and a collector that is called directly.
import { randomFillSync } from "node:crypto";

import { MemoryDatabase } from "./memory-database.mjs";
import { readOnce } from "./series-device.mjs";

const client = new URL(import.meta.url).searchParams.get("client");
const { toBase64url } = await import(`${client}/bytes.js`);
const { Task } = await import(`${client}/task.js`);
const { SeriesClient } = await import(`${client}/series.js`);
readOnce(Task);

const COLLECTOR = "http://collector.test";
const PAIRS = { alien: 5 };
// Steps at which another page may run: it would wait for the transaction at all others.
const UNLOCKED_STEPS = ["open", "request", "answer"];

const json = (status, content) => ({
  status,
  media: status === 200 ? "application/json" : "application/problem+json",
  content,
});

const problem = (status, kind) => json(status, { type: `urn:pckv:problem:${kind}`, detail: "" });

/** A collector that does what a step says. */
class LifeCollector {
  constructor(texts, days) {
    Object.assign(this, { texts, days, uploads: [] });
  }

  answer(path, body) {
    const { mode } = this;
    if (mode === "away") return undefined;
    if (!body) return json(200, JSON.parse(this.texts[path]));
    const [, , task, what] = path.split("/");
    if (what === "admission") {
      if (mode === "unadmitted") return problem(410, "deleted");
      return this.#closed(task) ?? json(200, { coin: null });
    }
    const isSealed = what === "sealed";
    const report = isSealed ? { id: "", body: toBase64url(body) } : JSON.parse(body).reports[0];
    this.uploads.push([task, report.id, report.body]);
    // A mixer refuses the whole request.
    const [status, kind] = isSealed && this.refusal[0] === 200 ? [403, "invitation-spent"] : this.refusal;
    if (mode === "loses") return undefined;
    if (mode === "busy") return problem(503, "overloaded");
    if (mode === "unsure") return problem(401, "bad-token");
    if (mode === "refuses" && status !== 200) return problem(status, kind);
    if (mode === "refuses") return json(200, { refused: [{ id: report.id, reason: kind }] });
    return this.#closed(task) ?? json(200, isSealed ? { held: true } : { refused: [] });
  }

  #closed(task) {
    const [opens, closes] = this.days[task];
    if (this.trusting) return undefined;
    if (opens && this.today < opens) return problem(403, "not-open");
    return closes && this.today >= closes ? problem(403, "closed") : undefined;
  }
}

/** Two pages, each until it is closed. */
class Life {
  pages = [];
  database = new MemoryDatabase(() => this.#stepOf(this.page));

  constructor({ texts, days }) {
    this.collector = new LifeCollector(texts, days);
  }

  /** Let the client's surroundings be those of this device. */
  #install() {
    globalThis.indexedDB = this.database;
    globalThis.fetch = (url, options) => this.#fetch(url, options);
    Date.now = () => Date.parse(this.page.now);
    crypto.getRandomValues = (data) => {
      randomFillSync(data);
      // Only the draw of a panel takes 8 bytes.
      if (data.length === 8) new DataView(data.buffer).setBigUint64(0, BigInt(this.draws[this.page.number]), true);
      return data;
    };
  }

  #stepOf(page) {
    return async (kind) => {
      if (page === this.overtaken?.page && UNLOCKED_STEPS.includes(kind) && this.overtaken.left-- === 0) {
        await this.#overtake();
      }
      // Only one page runs at a time: what it asks for next is asked by this one.
      this.page = page;
      return true;
    };
  }

  async #overtake() {
    const { other } = this.overtaken;
    this.overtaken = undefined;
    this.other = await this.#call(other);
  }

  async #fetch(url, { body }) {
    const step = this.#stepOf(this.page);
    await step("request");
    const reply = this.collector.answer(new URL(url).pathname, body);
    await step("answer");
    if (!reply) throw new TypeError("no answer");
    const { status, media, content } = reply,
      headers = { get: (name) => (name === "Content-Type" ? media : null) };
    return { type: "basic", status, headers, text: async () => JSON.stringify(content) };
  }

  #page(number, options) {
    const page = { number, now: "2030-01-01" };
    page.client = new SeriesClient(COLLECTOR, {
      retryPolicy: { tries: 1 },
      clock: () => new Date(page.now),
      ...options,
    });
    return page;
  }

  async #call({ page: number, method, contract, clock, opened, caps }) {
    if (opened || !this.pages[number]) this.pages[number] = this.#page(number, caps);
    const page = this.pages[number];
    this.page = page;
    page.now = `${clock}T12:00:00.000Z`;
    try {
      if (method === "flush") return (await page.client.flush()).map(({ task, status }) => [task, status]);
      const { status, perturbed, round } = await page.client[method](contract, PAIRS);
      return [status, perturbed, round ?? null];
    } catch (error) {
      if (error.name !== "PckvError") throw error;
      return [error.code, false, null];
    } finally {
      // A transaction outlives the call that it refuses.
      await this.database.last;
    }
  }

  async take({ call, overtaken, forgotten, removed, draws, ...collector }) {
    this.#install();
    Object.assign(this.collector, collector, { uploads: [] });
    Object.assign(this, { draws, other: undefined, overtaken: undefined });
    if (forgotten) this.database.rows.get("series")?.delete(forgotten);
    if (removed) this.database.rows.get("reports").delete(removed);
    const results = [];
    if (overtaken) {
      const [left, other] = overtaken;
      if (call.opened || !this.pages[call.page]) this.pages[call.page] = this.#page(call.page, call.caps);
      this.overtaken = { page: this.pages[call.page], left, other };
      results.push(await this.#call({ ...call, opened: false }));
      if (this.overtaken) await this.#overtake();
      results.push(this.other);
    } else results.push(await this.#call(call));
    return { results, ...(await this.#seen()) };
  }

  async #seen() {
    this.page = this.#page(2, {});
    const { client } = this.page,
      ledger = await client.ledger(),
      rows = [...(this.database.rows.get("reports")?.values() ?? [])];
    return {
      uploads: this.collector.uploads,
      stored: rows.map(({ task, report }) => [
        task,
        report.sealed ? "" : toBase64url(report.id),
        toBase64url(report.sealed ?? report.body),
      ]),
      ledger: ledger.map((entry) => [
        entry.survey,
        entry.task,
        entry.epsilon,
        entry.status,
        entry.day,
        entry.series ?? null,
        entry.round ?? null,
        entry.claim ? [entry.claim.epsilon, entry.claim.delta] : null,
      ]),
      sums: [await client.spent(), await client.spentDelta(), await client.localSpent()],
      localCap: await client.localCap(),
      cap: await client.cap(),
      capPerPeriod: (await client.capPerPeriod()) ?? null,
    };
  }
}

let life;

const ANSWERS = {
  begin: (given) => {
    life = new Life(given);
    return null;
  },
  take: ({ step }) => life.take(step),
};

export const answer = (request) => ANSWERS[request.do](request);
