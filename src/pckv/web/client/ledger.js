// What reports have spent, and the caps on it.
import { unitsOf, unitsToText } from "./epsilon.js";
import { check } from "./errors.js";
import { isCount } from "./formats.js";
import { isDecimal } from "./fraction.js";

const DEFAULT_CAP = "10";
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

export function totalUnits(entries) {
  return entries.reduce((sum, { epsilon }) => sum + unitsOf(epsilon), 0n);
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
  const caps = { cap: { epsilon: DEFAULT_CAP }, ...remembered, ...given };
  await on("settings", "put", caps, "caps");
  return caps;
}

export function checkCaps(caps, entries, cost, day) {
  for (const { epsilon, days } of Object.values(caps)) {
    const isOld = (entry) => days !== undefined && Date.parse(day) - Date.parse(entry.day) >= DAY * days;
    const spent = totalUnits(entries.filter((entry) => !isOld(entry)));
    const sum = `ε = ${unitsToText(cost)} on top of ${unitsToText(spent)} is over the cap of ${epsilon}`;
    const period = days === undefined ? "all" : `${days} days`;
    check(spent + cost <= unitsOf(epsilon), "over_budget", `${sum} in ${period}`);
  }
}
