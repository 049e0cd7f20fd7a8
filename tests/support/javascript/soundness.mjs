// Functions of two draws, as they are and rewritten: wherever draws stay in their boxes, both must give the same.
import { RunStart, Traced, TracingError, Variable } from "./tracing.mjs";

const [plain, rewritten] = process.argv.slice(2);
const { functions } = await import(plain),
  { functions: traced } = await import(rewritten);
const ONE = 2n ** 64n;

// A generator of repeatable numbers: the steps of SplitMix64.
let state = 7n;

function random() {
  state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
  let y = BigInt.asUintN(64, (state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
  y = BigInt.asUintN(64, (y ^ (y >> 27n)) * 0x94d049bb133111ebn);
  return y ^ (y >> 31n);
}

const within = (low, high) => low + (random() % (high - low + 1n));

/** Small numbers, where functions decide often, and all others. */
const start = () => (random() % 3n ? random() % 40n : random());

/** A draw in the box of another one. */
function moved({ low, high, remainder }) {
  if (!remainder) return [low, high, within(low, high)][random() % 3n];
  const { count } = remainder,
    run = within(low / count, (high + 1n) / count - 1n);
  return run * count + within(remainder.low, remainder.high);
}

function expected(result, variables, draws) {
  if (!(result instanceof Traced)) return result;
  const { variable, scale, offset, big } = result,
    place = variables.indexOf(variable.draw ?? variable);
  const value = variable.draw ? draws[place] % variable.count : draws[place];
  return big ? scale * value + offset : Number(scale * value + offset);
}

const answers = {};
for (const [name, compute] of Object.entries(functions)) {
  const answer = (answers[name] = { followed: 0, refused: 0, wrong: [] });
  for (let run = 0; run < 400; run++) {
    const variables = [start(), start()].map((value) => new Variable(0n, ONE - 1n, value));
    let result;
    try {
      result = traced[name](...variables.map((variable) => new Traced(variable)));
      if (result instanceof RunStart) throw new TracingError("the start of a run is no result");
    } catch (error) {
      if (!(error instanceof TracingError)) throw error;
      answer.refused++;
      continue;
    }
    for (let step = 0; step < 5; step++) {
      const draws = variables.map(moved),
        found = compute(...draws);
      answer.followed++;
      if (found !== expected(result, variables, draws)) answer.wrong.push(draws.map(String));
    }
  }
}
console.log(JSON.stringify(answers));
