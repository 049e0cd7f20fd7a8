// What the client says to the vectors, in Node and in a browser alike; the comparing is Python's.

/** A source that gives these bytes and no more. */
export function fixedSource(data) {
  let at = 0;
  return (count) => {
    if (at + count > data.length) throw new RangeError("the tape ends");
    at += count;
    return data.slice(at - count, at);
  };
}

export const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (digits) => parseInt(digits, 16));

async function refusal(step, work) {
  try {
    return await work();
  } catch (error) {
    // Anything but a refusal is a fault of the client's.
    if (error.name !== "PckvError") throw error;
    return { fails_at: step, code: error.code, message: error.message };
  }
}

/** The answers to the thresholds, tasks and reports of the vectors. */
export async function answers(client, vectors) {
  const { Tape, Task, channelOf, decimal, expLower, perturbFrom, toText } = await import(`${client}/core.js`);

  async function threshold(given) {
    const epsilon = decimal(given.epsilon), found = { exp_lower_times_2_256: String(expLower(epsilon).n) };
    for (const name of given.mechanisms) {
      const { Channel } = await import(`${client}/mechanisms/${name}.js`);
      const parameters = Object.fromEntries(Channel.options.map((option) => [option, given[option]]));
      const channel = new Channel(given.keys, given.padding, epsilon, parameters);
      found[name] = Object.fromEntries(Object.keys(given[name]).map((part) => [part, String(channel[part])]));
    }
    return found;
  }

  const task = ({ json }) =>
    refusal("task", async () => {
      const made = await Task.fromJson(json), { id, realisedEpsilon } = made, limit = channelOf(made).wordLimit;
      return { id, realised_epsilon: realisedEpsilon, word_limit: limit === null ? null : String(limit) };
    });

  async function report(given) {
    const read = await Task.fromJson(given.task);
    const tape = new Tape(channelOf(read).draws, given.tape ? fixedSource(fromHex(given.tape)) : undefined);
    return refusal("pairs", () => {
      const { id, body } = perturbFrom(tape, read, new Map(given.pairs));
      return { id: toText(id), body: toText(body) };
    });
  }

  const all = (cases, answer) => Promise.all(cases.map(answer));
  return {
    thresholds: await all(vectors.thresholds, threshold),
    tasks: await all(vectors.tasks, task),
    reports: await all(vectors.reports, report),
  };
}
