// What tests ask of the client whose folder the query of this script names.
import { createHash } from "node:crypto";

import { answers, fromHex, withPair } from "./answers.mjs";
import { streamOf, toHex, withLaterClocks, withRandomness } from "./randomness.mjs";

const client = new URL(import.meta.url).searchParams.get("client");
const { expLower, powerLower } = await import(`${client}/epsilon.js`);
const { toId } = await import(`${client}/bytes.js`);
const { parseDecimal } = await import(`${client}/fraction.js`);
const { makeReportFrom } = await import(`${client}/report.js`);
const { Tape } = await import(`${client}/tape.js`);
const { Task, internalsOf } = await import(`${client}/task.js`);
const { SizeQuestion } = await import(`${client}/size-question.js`);
const { coinOf, fetchTask, perturb } = await import(`${client}/index.js`);

const toInteger = (body) => body.reduceRight((number, byte) => (number << 8n) | BigInt(byte), 0n);

async function mechanismFrom({ name, keys, padding, epsilon, parameters, levels, share }) {
  const { Mechanism } = await import(`${client}/mechanisms/${name}.js`);
  const mechanism = new Mechanism(keys, padding, parseDecimal(epsilon), parameters, levels);
  return share === "0" ? mechanism : new SizeQuestion(mechanism, parseDecimal(epsilon), parseDecimal(share));
}

/** A source of repeatable bytes, block by block. */
function repeatable(seed) {
  let block = new Uint8Array(0),
    at = 0,
    number = 0;
  return (count) => {
    if (at + count > block.length) {
      const digest = createHash("shake256", { outputLength: 65536 });
      [block, at] = [new Uint8Array(digest.update(`${seed} ${number++}`).digest()), 0];
    }
    at += count;
    return block.slice(at - count, at);
  };
}

const integersOf = (mechanism) =>
  Object.fromEntries(
    Object.entries(mechanism).flatMap(([name, value]) => (typeof value === "bigint" ? [[name, String(value)]] : [])),
  );

/** Work with another property of an object for a while; that of its prototype comes back. */
async function withProperty(owner, name, value, work) {
  const before = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { value, configurable: true });
  try {
    return await work();
  } finally {
    if (before) Object.defineProperty(owner, name, before);
    else delete owner[name];
  }
}

/** What sealing needs of a task. */
const sealedFor = (key, digest) => ({ id: toId(fromHex(digest)), mixer: { key } });

const SEALING = {
  // Bodies sealed one after another, and what the browser was asked for their key pairs.
  sealed: async ({ bodies, key, digest }) => {
    const { seal } = await import(`${client}/mixed.js`),
      { subtle } = crypto,
      real = subtle.generateKey.bind(subtle),
      sealed = [],
      asked = [];
    const recorded = (...given) => {
      asked.push(given);
      return real(...given);
    };
    await withProperty(subtle, "generateKey", recorded, async () => {
      for (const body of bodies) sealed.push(toHex(await seal(sealedFor(key, digest), fromHex(body))));
    });
    return { sealed, asked };
  },
  exchanged: async ({ privateKey, publicKey, recipient, info }) => {
    const { exchange } = await import(`${client}/mixed.js`);
    const made = await withPair(privateKey, publicKey, () => exchange(fromHex(recipient), fromHex(info)));
    return Object.fromEntries(Object.entries(made).map(([name, bytes]) => [name, toHex(bytes)]));
  },
  // What a browser says that has everything, no X25519, or no crypto.subtle; null if it can seal.
  tried: async ({ without, key, digest }) => {
    const { checkSealing } = await import(`${client}/mixed.js`);
    const missing = async () => {
      throw new DOMException("Unrecognized algorithm name", "NotSupportedError");
    };
    const work = () =>
      checkSealing(sealedFor(key, digest)).then(
        () => null,
        ({ code, message }) => ({ code, message }),
      );
    if (without === "X25519") return withProperty(crypto.subtle, "generateKey", missing, work);
    return without === "subtle" ? withProperty(globalThis, "crypto", {}, work) : work();
  },
};

// Reading a task takes longer than refusing pairs.
const tasksRead = new Map();

const ANSWERS = {
  ...SEALING,
  // Which code points may be in an alphabet.
  alone: async ({ first, last }) => {
    const { isAlone } = await import(`${client}/discovery.js`),
      found = [];
    for (let point = first; point < last; point++) if (isAlone(String.fromCodePoint(point))) found.push(point);
    return found;
  },
  vectors: (cases) => answers(client, cases),
  hashes: async ({ texts }) => {
    const { sha256 } = await import(`${client}/sha256.js`);
    return texts.map((text) => toHex(new Uint8Array(sha256(fromHex(text)).buffer)));
  },
  odds: async ({ law }) => (await mechanismFrom(law)).odds,
  says: async ({ task, bodies, keys }) => {
    const read = await Task.fromJson(task);
    return bodies.map(fromHex).map((body) => ({
      answer: read.answer(body) ?? null,
      keys: (keys ?? read.keys).map((key) => read.says(body, key)),
      labels: (read.segment?.labels ?? []).map((label) => read.saysLabel(body, label)),
    }));
  },
  levels: ({ tasks }) =>
    Promise.all(
      tasks.map((task) =>
        Task.fromJson(task).then(
          ({ levelValues }) => levelValues,
          ({ message }) => message,
        ),
      ),
    ),
  question: async ({ law }) => {
    const { ends, asked, kept, draws, wordLimit, summary } = await mechanismFrom(law);
    return {
      ends,
      asked: String(asked),
      kept: String(kept),
      draws,
      wordLimit: String(wordLimit),
      ...summary,
    };
  },
  phase: async ({ task, days }) => {
    const read = await Task.fromJson(task);
    return days.map((day) => read.phase(day));
  },
  // What participants are shown who prefer these languages.
  shown: async ({ task, preferred }) => {
    const read = await Task.fromJson(task);
    return Promise.all(preferred.map((languages) => read.inLanguage(languages)));
  },
  // The origins of addresses as the browser reads them.
  origins: ({ urls }) => urls.map((url) => (URL.canParse(url) ? new URL(url).origin : null)),
  phaseToday: async ({ task }) => (await Task.fromJson(task)).phase(),
  // How often each message occurs, from repeatable draws.
  many: async ({ task, pairs, count, seed }) => {
    const read = await Task.fromJson(task),
      counts = {},
      source = repeatable(seed);
    for (let number = 0; number < count; number++) {
      const { body } = makeReportFrom(new Tape(internalsOf(read).draws, source), read, pairs);
      const message = toInteger(body);
      counts[message] = (counts[message] ?? 0) + 1;
    }
    return counts;
  },
  // The reports that a page makes one after another, each with the sizes of the blocks of randomness it takes, where the
  // system's randomness is a repeatable stream.
  made: async ({ reports, seed, later }) => {
    // Reading a task takes longer than making a report of it.
    const tasks = new Map(reports.map(({ task }) => [task]));
    for (const text of tasks.keys()) tasks.set(text, await Task.fromJson(text));
    const read = reports.map(({ task }) => tasks.get(task));
    const coins = await Promise.all(reports.map(({ coin }, at) => coin && coinOf(read[at], fromHex(coin))));
    return withLaterClocks(later, () =>
      withRandomness(streamOf(seed), (given) =>
        reports.map(({ texts, pairs }, at) => {
          const { id, body } = perturb(read[at], texts ?? new Map(pairs), { coin: coins[at] });
          return { id: toHex(id), body: toHex(body), taken: given.splice(0).map(({ byteLength }) => byteLength) };
        }),
      ),
    );
  },
  // The bytes of a tape, id and draws, where the system's randomness counts up.
  counted: ({ draws, more }) => {
    let next = 0;
    const counting = (data) => data.forEach((_, at) => (data[at] = next++ % 251));
    return withRandomness(counting, (given) => {
      const tape = new Tape(draws),
        hash = createHash("sha256").update(tape.reportId),
        bytes = Buffer.alloc(8);
      for (let draw = 0; draw < draws + more; draw++) {
        bytes.writeBigUInt64LE(tape.draw());
        hash.update(bytes);
      }
      return {
        digest: hash.digest("hex"),
        largest: Math.max(...given.map(({ byteLength }) => byteLength)),
        bytes: next,
      };
    });
  },
  // The numbers of the items that are derived from keys.
  items: async ({ task, kept, label }) => {
    const { mechanism } = internalsOf(await Task.fromJson(task)),
      pairs = kept.map((key) => ({ key, lower: 0 }));
    return (mechanism.pairs ?? mechanism).itemsOf(pairs, label).map(({ key }) => key);
  },
  // What a task is made into: every integer that its reports are drawn with, and what they cost.
  integers: ({ tasks }) =>
    Promise.all(
      tasks.map((task) =>
        Task.fromJson(task).then(
          (read) => {
            const { mechanism, draws } = internalsOf(read),
              { realised, pairs } = mechanism;
            const ratio = [realised.numerator, realised.denominator].map(String);
            const counted = {
              realised: ratio,
              draws,
              epsilon: read.realisedEpsilon,
              cost: String(read.cost),
            };
            return pairs
              ? { ...counted, question: integersOf(mechanism), law: integersOf(pairs) }
              : { ...counted, law: integersOf(mechanism) };
          },
          ({ message }) => ({ message }),
        ),
      ),
    ),
  bounds: ({ epsilons }) =>
    epsilons.map(parseDecimal).map((epsilon) => {
      return { series: String(expLower(epsilon).numerator), power: String(powerLower(epsilon).numerator) };
    }),
  // Why a coin, which may be one of another task, is refused; null if it is not.
  coinRefused: async ({ task, coin, of = task }) => {
    const [read, other] = await Promise.all([task, of].map((text) => Task.fromJson(text)));
    try {
      perturb(read, new Map(), { coin: coin === undefined ? undefined : await coinOf(other, fromHex(coin)) });
      return null;
    } catch ({ code, message }) {
      return { code, message };
    }
  },
  // Why pairs are refused, where they may be given in forms that repeat a key; null if they are not.
  refused: async ({ task, pairs, form, segment }) => {
    if (!tasksRead.has(task)) tasksRead.set(task, await Task.fromJson(task));
    const read = tasksRead.get(task);
    class Repeating extends Map {
      [Symbol.iterator]() {
        return pairs[Symbol.iterator]();
      }
    }
    try {
      const held = form === "plain" ? pairs : form === "map" ? new Map(pairs) : new Repeating(pairs);
      perturb(read, held, { segment });
      return null;
    } catch ({ code, message }) {
      return { code, message };
    }
  },
  // The microseconds of a report, by case and round: the median of many calls, the cases in turns.
  times: async ({ task, cases, calls, rounds }) => {
    const read = await Task.fromJson(task),
      held = cases.map((pairs) => new Map(pairs)),
      times = cases.map(() => []);
    for (let round = -1; round < rounds; round++) {
      held.forEach((pairs, number) => {
        const taken = Array.from({ length: calls }, () => {
          const start = performance.now();
          perturb(read, pairs);
          return 1000 * (performance.now() - start);
        });
        // The first round warms up.
        if (round >= 0) times[number].push(taken.sort((x, y) => x - y)[calls >> 1]);
      });
    }
    return times;
  },
  fetch: ({ url, task, retryPolicy }) =>
    fetchTask(url, task, retryPolicy).then(
      ({ id }) => ({ id }),
      ({ code, message }) => ({ code, message }),
    ),
};

export const answer = (request) => ANSWERS[request.do](request);
