// The client's answers to the vectors, in Node and in a browser; Python compares them.

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

/** Work with this key pair, in hexadecimal digits, in place of a new one of the browser's. */
export async function withPair(privateKey, publicKey, work) {
  const { subtle } = crypto,
    // What stands before a private key of X25519 in PKCS #8 (RFC 8410).
    pkcs8 = fromHex(`302e020100300506032b656e04220420${privateKey}`);
  const pair = {
    privateKey: await subtle.importKey("pkcs8", pkcs8, "X25519", false, ["deriveBits"]),
    publicKey: await subtle.importKey("raw", fromHex(publicKey), "X25519", true, []),
  };
  subtle.generateKey = async () => pair;
  try {
    return await work();
  } finally {
    delete subtle.generateKey;
  }
}

const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

async function refusal(step, work) {
  try {
    return await work();
  } catch (error) {
    // Anything but a refusal is a fault of the client.
    if (error.name !== "PckvError") throw error;
    return { fails_at: step, code: error.code, message: error.message };
  }
}

/** A double as the hexadecimal digits of its bits, and back. */
const bits = new DataView(new ArrayBuffer(8));

function toBits(value) {
  bits.setFloat64(0, value);
  return bits.getBigUint64(0).toString(16).padStart(16, "0");
}

function fromBits(digits) {
  bits.setBigUint64(0, BigInt(`0x${digits}`));
  return bits.getFloat64(0);
}

// Reading a task takes longer than making a report of it: those that each client has read.
const tasksRead = new Map();

/** What somebody holds: texts, keys without values, or pairs in the order given. */
const heldBy = ({ texts, keys, pairs }) => texts ?? keys ?? new Map(pairs);

/** The answers to the thresholds, tasks, levels, keys, prefixes, reports, coins and sealed reports of the vectors. */
export async function answers(client, vectors) {
  const { fromBase64url, toBase64url, toId } = await import(`${client}/bytes.js`);
  const { expLower } = await import(`${client}/epsilon.js`);
  const { parseDecimal } = await import(`${client}/fraction.js`);
  const { levelValuesOf, neighboursOf } = await import(`${client}/levels.js`);
  const { coinOf, makeReportFrom } = await import(`${client}/report.js`);
  const { Tape } = await import(`${client}/tape.js`);
  const { Task, internalsOf } = await import(`${client}/task.js`);

  async function threshold(vector) {
    const epsilon = parseDecimal(vector.epsilon),
      computed = { exp_lower_times_2_256: String(expLower(epsilon).numerator) };
    for (const name of vector.mechanisms) {
      const { Mechanism } = await import(`${client}/mechanisms/${name}.js`);
      const parameters = Object.fromEntries(Mechanism.options.map((option) => [option, vector[option]]));
      const mechanism = new Mechanism(vector.keys, vector.padding, epsilon, parameters, vector.levels ?? 2);
      computed[name] = Object.fromEntries(Object.keys(vector[name]).map((part) => [part, String(mechanism[part])]));
    }
    if (vector.size_question) computed.size_question = await sizeThresholds(vector, epsilon);
    return computed;
  }

  // They are the same whatever the mechanism.
  async function sizeThresholds({ keys, padding, size_share }, epsilon) {
    const { Mechanism } = await import(`${client}/mechanisms/grr.js`);
    const { SizeQuestion } = await import(`${client}/size-question.js`);
    const pairs = new Mechanism(keys, padding, epsilon, { allocation: "optimized" }, 2);
    const { ends, asked, kept } = new SizeQuestion(pairs, epsilon, parseDecimal(size_share));
    return { ends, asked: String(asked), kept: String(kept) };
  }

  const task = ({ json }) =>
    refusal("task", async () => {
      const parsed = await Task.fromJson(json),
        { id, realisedEpsilon } = parsed;
      const limit = internalsOf(parsed).mechanism.wordLimit;
      return { id, realised_epsilon: realisedEpsilon, word_limit: limit === null ? null : String(limit) };
    });

  function level(vector) {
    const levelValues = levelValuesOf(vector);
    const placed = vector.placed.map(({ value }) => {
      const { lower, threshold } = neighboursOf(fromBits(value), levelValues);
      return { value, below: lower, threshold: String(threshold) };
    });
    return { values: levelValues.map(toBits), placed };
  }

  if (!tasksRead.has(client)) tasksRead.set(client, new Map());
  const tasks = tasksRead.get(client);

  function taskOf(json) {
    if (!tasks.has(json))
      tasks.set(
        json,
        refusal("task", () => Task.fromJson(json)),
      );
    return tasks.get(json);
  }

  async function key(vector) {
    const read = await taskOf(vector.task);
    return refusal("pairs", () => ({ number: internalsOf(read).domain.indexOf(vector.key, true) ?? null }));
  }

  async function prefix({ task, text }) {
    const read = await taskOf(task),
      [found = ""] = read.read([text]),
      groups = [...Array(read.keys.groups).keys()];
    return {
      found,
      numbers: found ? groups.map((group) => internalsOf(read).domain.itemOf(found, group)) : [],
    };
  }

  async function report(vector) {
    const read = await taskOf(vector.task);
    if (!(read instanceof Task)) return read;
    const tape = new Tape(internalsOf(read).draws, vector.tape ? fixedSource(fromHex(vector.tape)) : undefined);
    return refusal("pairs", () => {
      const { id, body } = makeReportFrom(tape, read, heldBy(vector), {}, vector.segment);
      return { id: toBase64url(id), body: toBase64url(body) };
    });
  }

  async function coin(vector) {
    const read = await taskOf(vector.task),
      choice = await coinOf(read, fromBase64url(vector.coin));
    if (!vector.tape) return { asks_size: choice.asked ?? false, function: String(choice.drawn) };
    const tape = new Tape(internalsOf(read).draws, fixedSource(fromHex(vector.tape)));
    const { id, body } = makeReportFrom(tape, read, heldBy(vector), choice, vector.segment);
    return { coin: toBase64url(id), body: toBase64url(body) };
  }

  async function sealed({ public_key, digest, ephemeral_key, body, sealed }) {
    const { isPublicKey, seal } = await import(`${client}/mixed.js`);
    if (!isPublicKey(public_key)) return { fails_at: "key" };
    const read = { public_key };
    if (!sealed) return read;
    const work = () => seal({ id: toId(fromHex(digest)), mixer: { key: public_key } }, fromBase64url(body));
    const enc = toHex(fromBase64url(sealed).slice(0, 32));
    return { ...read, sealed: toBase64url(await withPair(ephemeral_key, enc, work)) };
  }

  // One after another: each has a key pair of its own.
  async function inTurn(cases, answer) {
    const given = [];
    for (const vector of cases) given.push(await answer(vector));
    return given;
  }

  const all = (cases, answer) => Promise.all(cases.map(answer));
  return {
    thresholds: await all(vectors.thresholds, threshold),
    tasks: await all(vectors.tasks, task),
    keys: await all(vectors.keys ?? [], key),
    prefixes: await all(vectors.prefixes ?? [], prefix),
    reports: await all(vectors.reports, report),
    coins: await all(vectors.coins ?? [], coin),
    levels: (vectors.levels ?? []).map(level),
    sealed: await inTurn(vectors.sealed ?? [], sealed),
  };
}
