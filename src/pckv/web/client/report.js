// Reports: pairs or texts in, an id and a perturbed body out.
import { digest, digestOfId, encodeText } from "./bytes.js";
import { check } from "./errors.js";
import { Tape } from "./tape.js";
import { internalsOf } from "./task.js";

// Every call spends the task's ε.
export function makeReport(task, pairs, coin, segment) {
  const tape = new Tape(internalsOf(task).draws);
  return makeReportFrom(tape, task, pairs, coin, segment);
}

// A coin decides what is public of a report, the tape all else.
export function makeReportFrom(tape, task, pairs, coin = {}, segment) {
  const { domain, mechanism } = internalsOf(task);
  const read = domain.read(pairs);
  const label = labelOf(task, segment);
  const held = domain.merge(read, tape);
  return { id: coin.id ?? tape.reportId, body: mechanism.perturb(held, tape, coin, label) };
}

// Throws where pairs or a label do not fit a task; nothing is drawn.
export function checkPairs(task, pairs, segment) {
  internalsOf(task).domain.read(pairs);
  labelOf(task, segment);
}

// The number of a participant's label; undefined where no segment is asked for.
function labelOf(task, label) {
  const { mechanism } = internalsOf(task);
  if (task.segment !== null) return (mechanism.pairs ?? mechanism).derivation.labelIndex(label);
  const isGiven = (label ?? null) !== null;
  check(!isGiven, "bad_pairs", `task '${task.name}' has no segment, so that it takes no label`);
  return undefined;
}

const COIN_BYTES = 16;
// Four draws each: the number of a function is rejected with a chance below 1/6, so that 64 draws suffice.
const COIN_BLOCKS = 16;

// proofs/coin.md: a coin decides the id, whether the size question is answered, and the function.
export async function coinOf(task, coin) {
  const isSound = task.coin === "server" && coin.length === COIN_BYTES;
  check(isSound, "bad_parameter", `this is no coin of task ${task.id}`);
  const { mechanism } = internalsOf(task);
  const { functions } = mechanism.pairs ?? mechanism;
  const bytes = await coinBytes(task, coin);
  const tape = new Tape(4 * COIN_BLOCKS, () => bytes);
  const asked = mechanism.pairs && tape.bernoulli(mechanism.asked);
  return { task: task.id, id: coin, asked, drawn: tape.below(functions) };
}

async function coinBytes(task, coin) {
  const start = [...encodeText("pckv coin"), ...digestOfId(task.id), ...coin];
  const numbers = [...Array(COIN_BLOCKS).keys()];
  const blocks = await Promise.all(numbers.map((number) => digest(Uint8Array.of(...start, number))));
  return new Uint8Array(await new Blob(blocks).arrayBuffer());
}
