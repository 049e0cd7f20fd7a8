// What reports have spent, and the caps on it.
import { unitsAbove, unitsOf, unitsToText } from "./epsilon.js";
import { check } from "./errors.js";
import { isCount } from "./formats.js";
import { isDecimal } from "./fraction.js";

// What a browser spends in all, unless a cap is given: towards recipients, and whatever fails.
const DEFAULTS = { cap: { epsilon: "10" }, localCap: { epsilon: "40" } };
export const DELTA_CAP = "0.00001";
const DAY = 86_400_000;

// All entries. A record outlives its report; one that is missing is restored from its report.
export async function entriesOf(on) {
  const entries = new Map();
  for (const record of await on("spent", "getAll")) {
    entries.set(record.task, { ...record, status: "removed" });
  }
  for (const { task, entry, status } of await on("reports", "getAll")) {
    const { status: _, ...record } = entries.get(task) ?? entry;
    check(JSON.stringify(record) === JSON.stringify(entry), "bad_data", `the record of ${task} was edited`);
    await on("spent", "put", entry);
    entries.set(task, { ...entry, status });
  }
  return [...entries.values()];
}

// In units. Towards recipients, a mixed report counts with what its task claims; whatever fails, every one with its own ε.
export function sumsOf(entries) {
  const sums = { recipients: 0n, delta: 0n, local: 0n };
  for (const { epsilon, claim } of entries) {
    sums.recipients += unitsAbove(claim?.epsilon ?? epsilon);
    sums.delta += unitsAbove(claim?.delta ?? "0");
    sums.local += unitsAbove(epsilon);
  }
  return sums;
}

// Today, or the day of the latest entry: a clock that is set back frees nothing.
export function latestDay(entries, today) {
  return entries.reduce((latest, { day }) => (day > latest ? day : latest), today);
}

// A cap of all spending, or of that in a number of days.
export function readCap(epsilon, days) {
  const isAmount = isDecimal(String(epsilon)) && epsilon >= 0;
  check(isAmount, "bad_parameter", `the cap must be a decimal from 0 on, not ${epsilon}`);
  const isPeriod = days === undefined || isCount(days);
  check(isPeriod, "bad_parameter", `the cap must be for a number of days, not ${days}`);
  return { epsilon: String(epsilon), days };
}

// The caps that were given last, which are remembered.
export async function rememberCaps(on, given) {
  const remembered = await on("settings", "get", "caps");
  const caps = { ...DEFAULTS, ...remembered, ...given };
  await on("settings", "put", caps, "caps");
  return caps;
}

export function checkCaps({ cap, capPerPeriod, localCap }, entries, spending, day) {
  const costs = sumsOf([spending]);
  const checkSum = (name, counted, most, say) => {
    const spent = sumsOf(counted)[name];
    const isWithin = spent + costs[name] <= unitsOf(most);
    check(isWithin, "over_budget", say(unitsToText(costs[name]), `on top of ${unitsToText(spent)} is over the`));
  };
  checkSum("recipients", entries, cap.epsilon, (cost, over) => `ε = ${cost} ${over} cap of ${cap.epsilon} in all`);
  if (capPerPeriod) {
    const { epsilon, days } = capPerPeriod;
    const lately = entries.filter((entry) => Date.parse(day) - Date.parse(entry.day) < DAY * days);
    checkSum("recipients", lately, epsilon, (cost, over) => `ε = ${cost} ${over} cap of ${epsilon} in ${days} days`);
  }
  checkSum("delta", entries, DELTA_CAP, (cost, over) => `δ = ${cost} ${over} cap of ${DELTA_CAP} on δ`);
  const { epsilon } = localCap;
  checkSum("local", entries, epsilon, (cost, over) => `ε = ${cost} whatever fails, ${over} local cap of ${epsilon}`);
}
