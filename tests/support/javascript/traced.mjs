// The rewritten client: reports from given draws, and for every draw the box in which nothing changes.
import { fromHex } from "./answers.mjs";
import { Seed, Traced, TracingError, sealedBytes, stepsOf } from "./tracing.mjs";

const client = new URL(import.meta.url).searchParams.get("client");
const { PckvError } = await import(`${client}/errors.js`);
const { coinOf, makeReportFrom } = await import(`${client}/report.js`);
const { Tape } = await import(`${client}/tape.js`);
const { Task, internalsOf } = await import(`${client}/task.js`);

const toHex = (bytes) => Buffer.from(bytes).toString("hex");

/** A source that gives the bytes of an id, then those of given draws, and no more. */
function sealedSource(id, draws, drawn) {
  const bytes = new Uint8Array(16 + 8 * draws.length),
    view = new DataView(bytes.buffer);
  bytes.set(id);
  draws.forEach((draw, at) => view.setBigUint64(16 + 8 * at, BigInt(draw), true));
  let at = 0;
  return (count) => {
    // Draws that are taken ahead and never looked at are zeros.
    const taken = new Uint8Array(count);
    taken.set(bytes.subarray(at, at + count));
    at += count;
    return sealedBytes(taken, drawn);
  };
}

/** The client's tape; the number of a hash function becomes a seed. */
class TracedTape extends Tape {
  constructor(draws, functions, id, numbers) {
    const variables = [];
    super(
      draws,
      sealedSource(id, numbers, (variable) => variables.push(variable)),
    );
    Object.assign(this, { functions, variables });
  }

  below(count) {
    const result = super.below(count),
      drawn = this.variables.at(-1);
    const sound = result instanceof Traced && result.variable.draw === drawn && result.variable.count === count;
    if (!sound || result.scale !== 1n || result.offset !== 0n) {
      throw new TracingError(`below(${count}) does not return the remainder of a draw`);
    }
    return count === this.functions ? new Seed(result.value) : result;
  }
}

/** The box of a draw, and that of its remainder with its modulus if one was taken. */
function boxOf({ low, high, remainder }) {
  const numbers = remainder ? [low, high, remainder.count, remainder.low, remainder.high] : [low, high];
  return numbers.map(String);
}

const tasks = new Map();

async function readTask(text) {
  const task = await Task.fromJson(text),
    { mechanism } = internalsOf(task),
    { groupOf } = mechanism;
  // The group of a function is public, and decides how long prefixes are.
  if (groupOf) mechanism.groupOf = (drawn) => groupOf(drawn instanceof Seed ? drawn.value : drawn);
  return task;
}

function taskOf(text) {
  if (!tasks.has(text)) tasks.set(text, readTask(text));
  return tasks.get(text);
}

// The function of a coin is a seed too: nothing may be decided by its number.
async function choiceOf(task, coin) {
  if (!coin) return undefined;
  const { drawn, ...choice } = await coinOf(task, fromHex(coin));
  return Object.freeze({ ...choice, drawn: new Seed(drawn) });
}

function run(task, held, draws, choice, segment) {
  const { domain, draws: expected, mechanism } = internalsOf(task),
    { functions = null } = mechanism.pairs ?? mechanism;
  const id = crypto.getRandomValues(new Uint8Array(16));
  // A report is made from its task, its pairs and its tape: nothing else changes, and nothing else is asked.
  for (const object of [task, domain, mechanism, mechanism.pairs ?? {}]) Object.freeze(object);
  const { Date: clock, performance: stopwatch } = globalThis,
    system = crypto.getRandomValues;
  Object.assign(globalThis, { Date: undefined, performance: undefined });
  crypto.getRandomValues = undefined;
  try {
    const tape = new TracedTape(expected, functions, id, draws);
    const report = makeReportFrom(tape, task, held, choice, segment),
      reported = choice ? report.id : report.id.bytes;
    if (toHex(reported) !== toHex(choice?.id ?? id)) throw new TracingError("the id is not the one it was given");
    return { body: toHex(report.body), boxes: tape.variables.map(boxOf) };
  } catch (error) {
    return { error: `${error.name}: ${error.message}` };
  } finally {
    Object.assign(globalThis, { Date: clock, performance: stopwatch });
    crypto.getRandomValues = system;
  }
}

/** The steps to the symbol of each key with a level, by one function. */
function symbolSteps(task, items) {
  return items.map((item) => stepsOf(() => internalsOf(task).mechanism.symbol(12345n, ...item)));
}

Math.random = undefined;

export async function answer({ task, pairs, keys, runs, items, coin, segment }) {
  try {
    const read = await taskOf(task);
    if (items) return symbolSteps(read, items);
    const choice = await choiceOf(read, coin);
    const held = keys ?? new Map(pairs);
    return runs.map((draws) => run(read, held, draws, choice, segment));
  } catch (error) {
    if (!(error instanceof PckvError)) throw error;
    return runs.map(() => ({ error: error.message }));
  }
}
