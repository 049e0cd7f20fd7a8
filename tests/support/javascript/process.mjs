// The client behind a pipe: every line is a list of requests, and is answered by one line with a list of answers.
import { createHash } from "node:crypto";
import { createInterface } from "node:readline";

import { answers, fromHex } from "./answers.mjs";

Math.random = () => {
  throw new Error("Math.random was called");
};

const client = process.argv[2];
const { Tape, Task, channelOf, decimal, level, perturbFrom } = await import(`${client}/core.js`);
const { SizeQuestion } = await import(`${client}/size-question.js`);
const { fetchTask, perturb } = await import(`${client}/index.js`);

const EMPTY = Symbol("the tape ends");

const toInteger = (body) => body.reduceRight((number, byte) => (number << 8n) | BigInt(byte), 0n);

async function channelFrom({ name, keys, padding, epsilon, parameters, bits, functions, share }) {
  const { Channel } = await import(`${client}/mechanisms/${name}.js`);
  const channel = new Channel(keys, padding, decimal(epsilon), parameters, bits);
  // Channels with very many functions are enumerated with few of them.
  if (functions) {
    channel.functions = BigInt(functions);
    if (channel.symbols) channel.wordLimit = channel.functions * channel.symbols;
  }
  return share === "0" ? channel : new SizeQuestion(channel, decimal(epsilon), decimal(share));
}

/** A source of repeatable bytes, block by block. */
function repeatable(seed) {
  let block = new Uint8Array(0), at = 0, number = 0;
  return (count) => {
    if (at + count > block.length) {
      const digest = createHash("shake256", { outputLength: 65536 });
      [block, at] = [new Uint8Array(digest.update(`${seed} ${number++}`).digest()), 0];
    }
    at += count;
    return block.slice(at - count, at);
  };
}

const pairsOf = (pairs) => pairs.map(([key, threshold]) => [key, BigInt(threshold)]);

/** The client's own tape with given draws of `bits` bits. */
function tapeOf(bits, numbers) {
  const tape = Object.create(Tape.prototype), left = [...numbers];
  tape.one = 1n << BigInt(bits);
  tape.draw = () => {
    if (!left.length) throw EMPTY;
    return left.shift();
  };
  return tape;
}

/** Return the result of the work; undefined if the tape ended first. */
function untilEmpty(work) {
  try {
    return work();
  } catch (error) {
    if (error !== EMPTY) throw error;
    return undefined;
  }
}

/** The outcome of `draw`, `below` or `bernoulli` for every number; null where it needs another draw. */
function outcomes(bits, method, argument) {
  return Array.from({ length: 2 ** bits }, (_, number) => {
    const outcome = untilEmpty(() => tapeOf(bits, [BigInt(number)])[method](argument));
    return outcome === undefined ? null : BigInt(outcome);
  });
}

/** The decision tree of a sampler with a tape of small draws: what it requests, and where every outcome leads. */
function tree(channel, pairs, bits, known, path = []) {
  const left = [...path];
  let requested;
  const next = (method, argument = 0n) => {
    if (left.length) return left.shift();
    requested = [method, argument];
    throw EMPTY;
  };
  const tape = {
    one: 1n << BigInt(bits),
    draw: () => next("draw"),
    below: (count) => next("below", count),
    bernoulli: (threshold) => next("bernoulli", threshold) === 1n,
  };
  const body = untilEmpty(() => channel.perturb(pairs, tape));
  if (body !== undefined) return String(toInteger(body));
  const step = requested.join(" ");
  known[step] ??= [...new Set(outcomes(bits, ...requested))].filter((outcome) => outcome !== null);
  const branches = known[step].map((outcome) => [
    String(outcome),
    tree(channel, pairs, bits, known, [...path, outcome]),
  ]);
  return [requested[0], String(requested[1]), Object.fromEntries(branches)];
}

const ANSWERS = {
  vectors: (cases) => answers(client, cases),
  level: ({ value, low, high }) => String(level(value, low, high)),
  outcomes: ({ bits, method, argument }) =>
    outcomes(bits, method, BigInt(argument)).map((outcome) => outcome === null ? null : String(outcome)),
  tree: async ({ channel, pairs }) => tree(await channelFrom(channel), pairsOf(pairs), channel.bits, {}),
  // A report from given draws; null where there are too few.
  perturb: async ({ channel, pairs, draws }) => {
    const built = await channelFrom(channel);
    const body = untilEmpty(() => built.perturb(pairsOf(pairs), tapeOf(64, draws.map(BigInt))));
    return body === undefined ? null : String(toInteger(body));
  },
  odds: async ({ channel }) => (await channelFrom(channel)).odds,
  says: async ({ task, bodies }) => {
    const read = await Task.fromJson(task);
    return bodies.map(fromHex).map((body) => ({
      answer: read.answer(body) ?? null,
      keys: read.keys.map((key) => read.says(body, key)),
    }));
  },
  question: async ({ channel }) => {
    const { ends, asked, kept, draws, wordLimit, summary } = await channelFrom(channel);
    return { ends, asked: String(asked), kept: String(kept), draws, wordLimit: String(wordLimit), ...summary };
  },
  phase: async ({ task, days }) => {
    const read = await Task.fromJson(task);
    return days.map((day) => read.phase(day));
  },
  phaseToday: async ({ task }) => (await Task.fromJson(task)).phase(),
  // How often each message occurs, from repeatable draws.
  many: async ({ task, pairs, count, seed }) => {
    const read = await Task.fromJson(task), counts = {}, source = repeatable(seed);
    for (let number = 0; number < count; number++) {
      const { body } = perturbFrom(new Tape(channelOf(read).draws, source), read, pairs);
      const message = toInteger(body);
      counts[message] = (counts[message] ?? 0) + 1;
    }
    return counts;
  },
  // The bytes of randomness that one report takes when a page creates it.
  taken: async ({ task, pairs }) => {
    const read = await Task.fromJson(task), taken = [], real = crypto.getRandomValues;
    crypto.getRandomValues = (data) => {
      taken.push(data.length);
      return real.call(crypto, data);
    };
    const { id, body } = perturb(read, pairs);
    crypto.getRandomValues = real;
    return { taken, id: [...id], size: body.length };
  },
  fetch: ({ url, task, retryPolicy }) =>
    fetchTask(url, task, retryPolicy).then(({ id }) => ({ id }), ({ code, message }) => ({ code, message })),
};

for await (const line of createInterface({ input: process.stdin })) {
  const replies = await Promise.all(JSON.parse(line).map((request) => ANSWERS[request.do](request)));
  process.stdout.write(JSON.stringify(replies) + "\n");
}
