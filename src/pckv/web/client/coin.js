// proofs/coin.md: a coin decides the id of a report, which question it answers and by which function.
import { Tape, channelOf, check, encoder, fromText } from "./core.js";

// 64 draws: each is rejected with a chance below 1/6.
const BLOCKS = 16;

export async function coinOf(task, coin) {
  check(task.coin === "server" && coin.length === 16, "bad_parameter", `this is no coin of task ${task.id}`);
  const channel = channelOf(task), { functions } = channel.pairs ?? channel;
  const start = [...encoder.encode("pckv coin"), ...fromText(task.id), ...coin];
  const digest = (_, block) => crypto.subtle.digest("SHA-256", Uint8Array.of(...start, block));
  const blocks = await Promise.all(Array.from({ length: BLOCKS }, digest));
  const bytes = new Uint8Array(await new Blob(blocks).arrayBuffer()), tape = new Tape(4 * BLOCKS, () => bytes);
  const asked = channel.pairs && tape.bernoulli(channel.asked);
  return { task: task.id, id: coin, asked, drawn: tape.below(functions) };
}
