// Clients whose randomness is recorded: what they store and send, and every array that they had filled. Their database is in
// memory, and their collector takes everything.
import { readFileSync } from "node:fs";

import { fromHex } from "./answers.mjs";
import { MemoryDatabase } from "./memory-database.mjs";
import { streamOf, toHex, withLaterClocks, withRandomness } from "./randomness.mjs";

const client = new URL(import.meta.url).searchParams.get("client");
const { exports } = JSON.parse(readFileSync(`${client}/package.json`));
const modules = await Promise.all(Object.values(exports).map((each) => import(`${client}/${each.default}`)));
const { Client } = await import(`${client}/index.js`);
const { Series, SeriesClient } = await import(`${client}/series.js`);
const { fromBase64url, toBase64url } = await import(`${client}/bytes.js`);

const PLACE = "http://collector.test";

Object.defineProperty(globalThis, "navigator", {
  value: { storage: { persist: async () => true } },
  configurable: true,
});

/** A device of its own: a new database, and a collector that knows one contract and gives a coin. */
function surround({ contract, path, coin }) {
  const uploads = [],
    reply = (content) => ({
      type: "basic",
      status: 200,
      headers: { get: (name) => (name === "Content-Type" ? "application/json" : null) },
      text: async () => content,
    });
  globalThis.indexedDB = new MemoryDatabase(() => async () => true);
  globalThis.fetch = async (url, { body }) => {
    if (url === `${PLACE}${path}`) return reply(contract);
    if (url.endsWith("/admission"))
      return reply(JSON.stringify({ coin: coin === undefined ? null : toBase64url(fromHex(coin)) }));
    uploads.push(...JSON.parse(body).reports);
    return reply('{"refused":[]}');
  };
  return uploads;
}

const sent = ({ id, body }) => ({ id: toHex(fromBase64url(id)), body: toHex(fromBase64url(body)) });

/** Arrays that were filled: all bytes, where one number of 32 bits is for a pause. */
const shown = (given) => given.filter((data) => !(data instanceof Uint32Array)).map(toHex);

const membersOf = (exported) =>
  typeof exported === "function" && exported.prototype
    ? [...Object.getOwnPropertyNames(exported), ...Object.getOwnPropertyNames(exported.prototype)].filter(
        (name) => !["length", "name", "prototype", "constructor"].includes(name) && !name.startsWith("_"),
      )
    : [];

const ANSWERS = {
  /** All that the modules for apps export, and the methods of exported classes that are not for the client alone. */
  surface: () =>
    modules.flatMap((module) =>
      Object.entries(module).flatMap(([name, exported]) => [
        name,
        ...membersOf(exported).map((member) => `${name}.${member}`),
      ]),
    ),

  /** What a new device sends to a task, and what all other methods of the client draw after that. */
  submitted: ({ task, id, held, coin, kind, seed, later }) =>
    withLaterClocks(later, () =>
      withRandomness(streamOf(seed), async (given) => {
        const uploads = surround({ contract: task, path: `/tasks/${id}`, coin });
        const own = new { Client, SeriesClient }[kind](PLACE, { cap: 1000 });
        await own.submit(id, Array.isArray(held) ? held : new Map(Object.entries(held)), { invitation: "x" });
        const filled = shown(given);
        for (const [method, ...parameters] of [
          ...["ledger", "spent", "cap", "capPerPeriod", "flush"].map((name) => [name]),
          ...["task", "receipt", "check", "send", "submit"].map((name) => [name, id]),
        ])
          await own[method](...parameters);
        return { reports: uploads.map(sent), filled, more: shown(given).length - filled.length };
      }),
    ),

  /** The turn that a new device gets in a series, and what it sends when that has come. */
  reported: ({ series, id, held, seed, later }) =>
    withLaterClocks(later, () =>
      withRandomness(streamOf(seed), async (given) => {
        const uploads = surround({ contract: series, path: `/series/${id}` }),
          { first } = await Series.fromJson(series);
        let now = Date.parse(first) - 1;
        const own = () => new SeriesClient(PLACE, { cap: 1000, clock: () => new Date(now) });
        const pairs = new Map(Object.entries(held)),
          { round, due } = await own().report(id, pairs, { spread: 1 });
        now = Number(due);
        await own().report(id, pairs, { spread: 1 });
        return { round, due: due.toJSON(), reports: uploads.map(sent), filled: shown(given) };
      }),
    ),
};

export const answer = (request) => ANSWERS[request.do](request);
