// Tasks and reports, bit for bit as in Python.

export class PckvError extends Error {
  constructor(code, message) {
    super(message);
    Object.assign(this, { name: "PckvError", code });
  }
}

export function check(holds, code, message) {
  if (!holds) throw new PckvError(code, message);
}

export const must = (holds, what) => check(holds, "bad_task", `not a task: ${what}`);

// Never reduced: there are few steps.
export class Fraction {
  constructor(n, d = 1n) {
    Object.assign(this, { n: BigInt(n), d });
  }

  plus(x) {
    const { n, d } = fraction(x);
    return new Fraction(this.n * d + n * this.d, this.d * d);
  }

  minus(x) {
    return this.plus(fraction(x).times(-1));
  }

  times(x) {
    const { n, d } = fraction(x);
    return new Fraction(this.n * n, this.d * d);
  }

  over(x) {
    const { n, d } = fraction(x);
    return new Fraction(this.n * d, this.d * n);
  }

  below(x) {
    return this.minus(x).n < 0;
  }

  get floor() {
    return this.n / this.d;
  }

  get ceil() {
    return (this.n + this.d - 1n) / this.d;
  }

  get number() {
    return Number(this.n) / Number(this.d);
  }
}

const fraction = (x) => (x instanceof Fraction ? x : new Fraction(x));

export const isDecimal = (text) =>
  typeof text === "string" && text.length <= 40 && /^(?!-0$)-?(0|[1-9]\d*)(\.\d*[1-9])?$/.test(text);

export function decimal(text) {
  const [whole, places = ""] = text.split(".");
  return new Fraction(whole + places, 10n ** BigInt(places.length));
}

export const isBetween = (text, low, high) =>
  isDecimal(text) && !decimal(text).below(decimal(low)) && !decimal(high).below(decimal(text));

// A lower bound: halve to at most 1, sum 70 terms, floor to 256 bits, square again.
export function expLower({ n, d }) {
  let halvings = 0, top = 1n, bottom = 1n;
  for (; n > d; halvings++) d *= 2n;
  for (let term = 69n; term; term--) {
    bottom *= term * d;
    top = bottom + n * top;
  }
  let bound = (top << 256n) / bottom;
  while (halvings--) bound = (bound * bound) >> 256n;
  return new Fraction(bound, 1n << 256n);
}

// Another way to one, (1 + ε/2^256)^(2^256): a fault in the first shows.
export function powerLower({ n, d }) {
  let bound = (1n << 1024n) + (n << 768n) / d;
  for (let squarings = 256; squarings; squarings--) bound = (bound * bound) >> 1024n;
  return new Fraction(bound, 1n << 1024n);
}

// ε is spent in units, rounded up; a cap is rounded down.
const UNIT = 10n ** 15n;

export const units = (text) => decimal(text).times(UNIT).floor;

export const unitsText = (count) =>
  `${count / UNIT}.${String(UNIT + (count % UNIT)).slice(1)}`.replace(/\.?0*$/, "");

function unitsOf(ratio) {
  let low = 0n, high = 32n * UNIT;
  while (low < high) {
    const middle = (low + high) / 2n;
    if (expLower(new Fraction(middle, UNIT)).below(ratio)) low = middle + 1n;
    else high = middle;
  }
  return low;
}

// Rounded up in print too: the step leads to the next double.
function unitsNumber(count) {
  const number = Number(unitsText(count));
  return number > 1 && units(String(number)) < count ? number + number * 1.5e-16 : number;
}

const ONE = 1n << 64n;

const randomBytes = (count) => crypto.getRandomValues(new Uint8Array(count));

// The id, then draws in blocks of at most 64 KiB; rejected ones are replaced one by one. Only tests pass another source.
export class Tape {
  at = 0;
  end = 0;

  constructor(draws, source = randomBytes) {
    this.reportId = source(16);
    Object.assign(this, { draws, source });
  }

  draw() {
    if (this.at === this.end) this.take(Math.min(Math.max(this.draws, 1), 8192));
    this.at += 8;
    return this.block.getBigUint64(this.at - 8, true);
  }

  take(draws) {
    this.draws -= draws;
    this.at = 0;
    this.end = 8 * draws;
    this.block = new DataView(this.source(this.end).buffer);
  }

  // The incomplete last run is rejected.
  below(count) {
    for (;;) {
      const number = this.draw(), result = number % count;
      if (number - result <= ONE - count) return result;
    }
  }

  bernoulli(threshold) {
    return this.draw() < threshold;
  }
}

// Not in the task: no page can pass its own tape.
const channels = new WeakMap();

export const channelOf = (task) => channels.get(task);

export const perturb = (task, pairs, coin) => perturbFrom(new Tape(channelOf(task).draws), task, pairs, coin);

// A coin decides what is public of a report, the tape all else.
export const perturbFrom = (tape, task, pairs, coin = {}) => ({
  id: coin.id ?? tape.reportId,
  body: channelOf(task).perturb(readPairs(task, pairs), tape, coin),
});

// 64 draws: each is rejected with a chance below 1/6.
const BLOCKS = 16;

// proofs/coin.md: it decides the id, the question and the function.
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

export function readPairs(task, pairs) {
  if (task.read) return task.read(pairs);
  const { low, high, levelValues, between, padding } = task;
  const read = Array.from(pairs instanceof Map ? pairs : Object.entries(pairs), ([key, value]) => {
    const index = task.keyIndex(key, task.otherIndex), within = typeof value === "number" && low <= value && value <= high;
    check(within, "bad_pairs", `value ${value} of key '${key}' is not a number within [${low}, ${high}]`);
    check(between === "round" || levelValues.includes(value), "bad_pairs", `value ${value} of key '${key}' is not one of ${levelValues.join(", ")}`);
    return [index, ...rounded(value, levelValues)];
  });
  const { size } = new Set(read.map(([index]) => index));
  check(task.collapse || size === read.length, "bad_pairs", "a key is given twice");
  const taken = task.more === "sample" || size <= padding;
  check(taken, "bad_pairs", `task ${task.name} takes at most ${padding} pairs, not ${size}; nothing was perturbed`);
  return read;
}

// The level below, and a threshold for the one above. Doubles suffice: ε holds for any level.
function rounded(value, levels) {
  const lower = levels.slice(1, -1).filter((level) => level <= value).length, [low, high] = levels.slice(lower);
  return [lower, BigInt(Math.floor(((value - low) / (high - low)) * 2 ** 53)) << 11n];
}

export class Sampling {
  one = ONE;
  draws = 5;

  constructor(keys, padding, levels) {
    Object.assign(this, { keys, padding, levels });
  }

  chance(threshold, parts = 1n) {
    return new Fraction(threshold, this.one * parts);
  }

  // Undefined is a dummy.
  sample(pairs, tape) {
    return pairs[tape.below(BigInt(Math.max(pairs.length, this.padding)))];
  }

  // The odds of any level of a key.
  claims(sampled, absent, slots = this.padding) {
    this.odds = { held: absent + (sampled - absent) / slots, absent };
  }

  says(body, key) {
    return [...Array(this.levels).keys()].filter((level) => this.supports(body, key, level));
  }
}

export function spread(...chances) {
  chances.sort((x, y) => (x.below(y) ? -1 : 1));
  return chances.at(-1).over(chances[0]);
}

export function writeWord(word) {
  const body = new Uint8Array(8);
  new DataView(body.buffer).setBigUint64(0, word, true);
  return body;
}

export const readWord = (body) => new DataView(body.buffer, body.byteOffset).getBigUint64(0, true);

export function toText(data) {
  const letters = data.reduce((text, byte) => text + String.fromCharCode(byte), "");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export const fromText = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt());

export const isWithin = (number, low, high) => Number.isInteger(number) && number >= low && number < high;

export const isCount = (number) => isWithin(number, 1, 2 ** 31 + 1);

export const isDay = (day) =>
  day === null || (/^(?!0000)\d{4}-/.test(day) && new Date(day).toJSON()?.slice(0, 10) === day);

export const encoder = new TextEncoder();

const isText = (text, most = 256) =>
  typeof text === "string" &&
  !/[\p{Cc}\p{Cs}]/u.test(most > 256 ? text.replaceAll("\n", "") : text) &&
  text.normalize() === text &&
  encoder.encode(text).length <= most;

export const isName = (name) => name !== "" && isText(name);

const fold = (name) => name.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC");

// A survey is its name as people read it, whatever its task's id.
export const surveyOf = (name) => fold(name.replace(/[\p{Cf}\p{DI}]/gu, "")).trim().replace(/\s+/g, " ");

const ABOUT = {
  question: 256,
  description: 4096,
  unit: 256,
  low_label: 256,
  high_label: 256,
  eligibility: 4096,
  consent: 4096,
  contact: 256,
};

const isAbout = (about) =>
  Object.keys(Object(about)).length === 8 && Object.entries(ABOUT).every(([name, most]) => isText(about[name], most));

export const isId = (id) => /^[\w-]{42}[AEIMQUYcgkosw048]$/.test(id);

const isRound = ({ id, panels, round, ...more }) =>
  isId(id) && isWithin(panels, 1, 1001) && isWithin(round, 1, 1e6 + 1) && !Object.keys(more).length;

// Bundlers follow whole paths.
const MECHANISMS = {
  ue: () => import("./mechanisms/ue.js"),
  grr: () => import("./mechanisms/grr.js"),
  "ue-compact": () => import("./mechanisms/ue-compact.js"),
  collision: () => import("./mechanisms/collision.js"),
};

const isOneOf = (...names) => (name) => names.includes(name);

const RULES = {
  version: isOneOf(1),
  kind: isOneOf("pairs", "discovery"),
  name: isName,
  keys: (keys, { kind }) =>
    kind !== "pairs" ||
    keys === "hashed" ||
    isCount(keys) ||
    (Array.isArray(keys) && isCount(keys.length) && keys.every(isName) && new Set(keys).size === keys.length),
  low: isDecimal,
  high: isDecimal,
  epsilon: (text) => isBetween(text, "0.000001", "20"),
  padding: isCount,
  mechanism: (mechanism) => Object.keys(MECHANISMS).includes(mechanism?.name),
  more: isOneOf("sample", "refuse"),
  size_share: (text) => isBetween(text, "0", "0.5"),
  about: isAbout,
  coin: isOneOf("device", "server"),
  // levels.js checks them.
  levels: () => true,
  other: (name) => name === null || isName(name),
  between: isOneOf("round", "refuse"),
  opens: isDay,
  closes: isDay,
  series: (series) => series === null || isRound(series),
};

const sorted = (_, part) => (part?.constructor === Object ? Object.fromEntries(Object.entries(part).sort()) : part);

export class Task {
  #indices;

  static async fromJson(text) {
    let members;
    try {
      members = Object(JSON.parse(text));
    } catch (error) {
      must(false, error.message);
    }
    for (const member in { ...members, ...RULES }) {
      const known = Object.hasOwn(RULES, member) && Object.hasOwn(members, member);
      must(known && RULES[member](members[member], members), member);
    }
    const { opens, closes, padding, more, series, levels, keys, kind, other } = members, low = Number(members.low), high = Number(members.high);
    const { name: mechanism, ...parameters } = members.mechanism;
    must(low < high, "low");
    const levelValues = kind !== "pairs" ? [high] : levels === 2 ? [low, high] : (await import("./levels.js")).valuesOf(members);
    must(!opens || !closes || opens < closes, "it closes before it opens");
    must(!series || (opens && closes && members.name.endsWith(`, round ${series.round}`)), "a round has days and its name");
    must(JSON.stringify(members, sorted) === text, "it is not canonical");
    const { Channel } = await MECHANISMS[mechanism]();
    for (const given in parameters) must(Channel.options.includes(given), `${mechanism} has no ${given}`);
    const found = other ?? (kind !== "pairs" || keys === "hashed") ? (await import("./unlisted.js")).unlistedOf(members, levelValues) : {};
    const unlisted = await found, { keyCount = keys.length ?? keys } = unlisted, epsilon = decimal(members.epsilon);
    must(padding <= keyCount, "padding");
    const pairs = new Channel(keyCount, padding, epsilon, parameters, levelValues.length), share = decimal(members.size_share);
    must(pairs.wordLimit || keyCount <= 2 ** 26, "a report is over 16 MiB");
    const asks = pairs.wordLimit && more === "sample" && padding < keyCount;
    must(asks || !share.n, "size_share");
    must(members.coin === "device" || pairs.functions, "coin");
    const channel = share.n ? new (await import("./size-question.js")).SizeQuestion(pairs, epsilon, share) : pairs;
    check(crypto.subtle, "no_crypto", "tasks are checked by crypto.subtle: serve the page by https or from localhost");
    const id = toText(new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text))));
    must(!powerLower(epsilon).below(channel.realised), "it realises more than its epsilon");
    const cost = unitsOf(channel.realised), realisedEpsilon = unitsNumber(cost), { odds, summary: sizeQuestion } = channel;
    const checked = { id, text, low, high, levelValues, mechanism, parameters, keyCount, cost, realisedEpsilon, odds, sizeQuestion, ...unlisted };
    const task = Object.assign(new Task(), members, checked);
    channels.set(task, channel);
    task.collapse?.(channel);
    // The time of a report does not show its keys.
    task.#indices = new Map();
    if (Array.isArray(keys)) keys.forEach((key, index) => task.#indices.set(key, index));
    return task;
  }

  // Comparing with null is false.
  phase(day = new Date().toJSON().slice(0, 10)) {
    return day >= this.closes ? "closed" : day < this.opens ? "waiting" : "open";
  }

  keyIndex(key, other) {
    const { keys } = this, number = key >>> 0, numbered = String(number) === key && number < keys ? number : undefined;
    const index = (Array.isArray(keys) ? this.#indices.get(key) : numbered) ?? other;
    check(index !== undefined, "bad_pairs", `key ${key} is not a key of task ${this.name}`);
    return index;
  }

  answer(body) {
    return channelOf(this).answer?.(body);
  }

  says(body, key) {
    return channelOf(this).says(body, this.keyIndex(key));
  }
}
