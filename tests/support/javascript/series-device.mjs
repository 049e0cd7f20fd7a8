// A device that reports to a series, with faults: kills at every step, wrong clocks, lost answers, other tabs in between. The
// client is the real one; its database is in memory, and its collector is called directly.
import { createHash } from "node:crypto";

import { MemoryDatabase } from "./memory-database.mjs";

const DAY = 86_400_000;
const URL = "http://collector.test";
const systemRandomness = crypto.getRandomValues.bind(crypto);

Object.defineProperty(globalThis, "navigator", {
  value: { storage: { persist: async () => true } },
  configurable: true,
});
// Nothing waits: timers of requests would outlive them.
AbortSignal.timeout = () => undefined;
// The same bytes, without a thread that a busy machine runs late.
crypto.subtle.digest = async (_, data) => Uint8Array.from(createHash("sha256").update(data).digest()).buffer;

const json = (status, content) => ({
  status,
  media: status === 200 ? "application/json" : "application/problem+json",
  content,
});

const problem = (status, kind) => json(status, { type: `urn:pckv:problem:${kind}`, detail: "" });

/** A collector of one series, which takes reports of the round that its own clock shows, and those of all other tasks. */
class RoundCollector {
  now = 0;
  reachable = true;
  loses = false;
  trusting = false;
  reports = new Map();

  constructor(series, rounds) {
    this.contracts = new Map([[`/series/${series.id}`, series.text]]);
    this.rounds = rounds;
  }

  answer(path, body) {
    if (!this.reachable) return undefined;
    if (!body)
      return this.contracts.has(path) ? json(200, JSON.parse(this.contracts.get(path))) : problem(404, "unknown");
    const [, , id, what] = path.split("/"),
      round = this.rounds.get(id) ?? id,
      open = round === this.now || round === id;
    if (!open && !this.trusting) return problem(403, round > this.now ? "not-open" : "closed");
    if (what === "admission") return json(200, { coin: null });
    const [report] = JSON.parse(body).reports,
      taken = this.reports.get(round) ?? new Map();
    this.reports.set(round, taken.set(report.id, report.body));
    return this.loses ? undefined : json(200, { refused: [] });
  }
}

/** Reading a task takes longer than all the rest. */
export function readOnce(Task) {
  const read = new Map(),
    fromJson = Task.fromJson.bind(Task);
  Task.fromJson = (text) => {
    if (!read.has(text)) read.set(text, fromJson(text));
    return read.get(text);
  };
}

/** A device and its collector, in a state that can be kept and returned to. Its first draw gives a panel, later ones the next. */
export class SeriesDevice {
  draws = 0;

  constructor(SeriesClient, series, tasks, panel) {
    Object.assign(this, { SeriesClient, series, tasks, panel });
    this.collector = new RoundCollector(series, new Map(tasks.map(({ id }, at) => [id, at + 1])));
    this.database = new MemoryDatabase(() => this.#stepOf(this.tab));
    this.none = this.state();
  }

  /** Let the client's surroundings be those of this device. */
  install() {
    globalThis.indexedDB = this.database;
    globalThis.fetch = (url, options) => this.#fetch(url, options);
    crypto.getRandomValues = (data) => {
      systemRandomness(data);
      // Only the draw of a panel takes 8 bytes.
      if (data.length === 8) this.#fillDraw(data);
      return data;
    };
  }

  #fillDraw(data) {
    const number = this.numbers?.length
      ? BigInt(this.numbers.shift())
      : BigInt((this.panel + this.draws) % this.series.panels);
    this.draws++;
    new DataView(data.buffer).setBigUint64(0, number, true);
  }

  #stepOf(tab) {
    return async (kind) => {
      const number = tab.steps.push(kind) - 1;
      if (number === tab.killAt) {
        tab.dead = true;
        tab.end("killed");
      }
      if (number === tab.overtakenAt) await this.report(tab.otherClock);
      // Only one tab runs at a time: what it asks for next is asked by this one.
      this.tab = tab;
      return !tab.dead;
    };
  }

  async #fetch(url, { body }) {
    const step = this.#stepOf(this.tab),
      never = () => new Promise(() => {});
    if (!(await step("request"))) return never();
    const reply = this.collector.answer(url.slice(URL.length), body);
    if (!(await step("answer"))) return never();
    if (!reply) throw new TypeError("no answer");
    const { status, media, content } = reply,
      headers = { get: (name) => (name === "Content-Type" ? media : null) };
    return { type: "basic", status, headers, text: async () => JSON.stringify(content) };
  }

  /** A time as it is given, or in the middle of a round; round 0 is the week before the first. */
  during(round) {
    if (typeof round === "string") return new Date(round);
    return new Date(Date.parse(this.series.first) + DAY * this.series.period * (round - 1) + DAY * 3.5);
  }

  /** Let a new tab call a method, with a clock that shows a round; the result, a refusal, or that it was killed. */
  call(clock, method, given, tab = {}, options = {}) {
    return new Promise((resolve, reject) => {
      Object.assign(tab, { steps: [], end: resolve });
      const usual = { cap: 1000, localCap: 1000, retryPolicy: { tries: 1 }, clock: () => this.during(clock) };
      const work = async () => new this.SeriesClient(URL, { ...usual, ...options })[method](...given);
      const refusal = (error) =>
        error.name === "PckvError" ? resolve({ code: error.code, message: error.message }) : reject(error);
      this.tab = tab;
      work().then(resolve, refusal);
    });
  }

  report(clock, tab, options) {
    return this.call(clock, "report", [this.series.id, { alien: 5 }], tab, options);
  }

  state() {
    const {
      database: { rows },
      collector: { reports },
      draws,
    } = this;
    return {
      rows: new Map(Array.from(rows, ([name, kept]) => [name, new Map(kept)])),
      reports: new Map(reports),
      draws,
    };
  }

  returnTo({ rows, reports, draws }) {
    this.database.rows = new Map(Array.from(rows, ([name, kept]) => [name, new Map(kept)]));
    this.database.last = Promise.resolve();
    this.collector.reports = new Map(Array.from(reports, ([round, taken]) => [round, new Map(taken)]));
    this.draws = draws;
  }

  /** What a store holds of the rounds: from the number of a round to its row. */
  byRound(store) {
    const rows = this.database.rows.get(store) ?? new Map();
    return new Map(this.tasks.flatMap(({ id }, at) => (rows.has(id) ? [[at + 1, rows.get(id)]] : [])));
  }

  get member() {
    return this.database.rows.get("series")?.get(this.series.id);
  }

  forgetPanel() {
    this.database.rows.get("series")?.delete(this.series.id);
  }
}
