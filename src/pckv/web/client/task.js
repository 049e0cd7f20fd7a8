// The task: the immutable public contract of one collection, bound by its id.
import { toText } from "./device.js";
import { check, decimal, epsilonNumber, epsilonUnits, must } from "./exact.js";

const MECHANISMS = ["ue", "grr", "ue-compact"];

const isCount = (number) => Number.isInteger(number) && number > 0 && number <= 2 ** 31;

const isDay = (day) =>
  day === null || (/^(?!0000)\d{4}-/.test(day) && new Date(day).toJSON()?.slice(0, 10) === day);

export const isDecimal = (text) =>
  typeof text === "string" && text.length <= 40 && /^(?!-0$)-?(0|[1-9]\d*)(\.\d*[1-9])?$/.test(text);

export const isName = (name) =>
  typeof name === "string" &&
  /^[^\p{Cc}\p{Cs}]+$/u.test(name) &&
  name.normalize() === name &&
  new TextEncoder().encode(name).length <= 256;

const RULES = {
  version: (version) => version === 1,
  kind: (kind) => kind === "pairs",
  name: isName,
  keys: (keys) =>
    Array.isArray(keys)
      ? isCount(keys.length) && keys.every(isName) && new Set(keys).size === keys.length
      : isCount(keys),
  low: isDecimal,
  high: isDecimal,
  epsilon: (text) =>
    isDecimal(text) && !decimal(text).below(decimal("0.000001")) && !decimal("20").below(decimal(text)),
  padding: isCount,
  mechanism: (mechanism) => MECHANISMS.includes(mechanism?.name),
  opens: isDay,
  closes: isDay,
};

const sorted = (object) => Object.fromEntries(Object.entries(object).sort());

export class Task {
  static async fromJson(text) {
    let members;
    try {
      members = Object(JSON.parse(text));
    } catch (error) {
      must(false, error.message);
    }
    for (const member of new Set([...Object.keys(members), ...Object.keys(RULES)])) {
      const known = Object.hasOwn(RULES, member) && Object.hasOwn(members, member);
      must(known && RULES[member](members[member]), member);
    }
    const { low, high, opens, closes } = members, { name, ...parameters } = members.mechanism;
    must(Number(low) < Number(high), "low is not below high");
    must(opens === null || closes === null || opens < closes, "it closes before it opens");
    const canonical = JSON.stringify(sorted({ ...members, mechanism: sorted(members.mechanism) }));
    must(canonical === text, "it is not in canonical form");
    const { Channel } = await import(`./mechanisms/${name}.js`);
    for (const given in parameters) must(Channel.options.includes(given), `${name} has no ${given}`);
    const task = Object.assign(new Task(), members, { text, id: await idOf(text), mechanism: name, parameters });
    task.low = Number(low);
    task.high = Number(high);
    task.keyCount = task.keys.length ?? task.keys;
    task.channel = new Channel(task.keyCount, task.padding, decimal(task.epsilon), parameters);
    task.cost = epsilonUnits(task.channel.realised);
    task.realisedEpsilon = epsilonNumber(task.cost);
    return task;
  }

  get odds() {
    return this.channel.odds;
  }

  keyIndex(key) {
    const numbered = /^(0|[1-9]\d*)$/.test(key) && Number(key) < this.keys ? Number(key) : -1;
    const index = this.keys.indexOf?.(key) ?? numbered;
    check(index >= 0, "bad_pairs", `key ${key} is not a key of task ${this.name}`);
    return index;
  }

  says(body, key) {
    return this.channel.says(body, this.keyIndex(key));
  }
}

export async function idOf(text) {
  const { subtle } = crypto;
  check(subtle, "no_crypto", "no task can be checked without crypto.subtle: serve the page by https or from localhost");
  return toText(new Uint8Array(await subtle.digest("SHA-256", new TextEncoder().encode(text))));
}
