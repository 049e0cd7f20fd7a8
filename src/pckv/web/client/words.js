// What people read about refusals and about the ledger.
import { unitsToText } from "./epsilon.js";
import { DELTA_CAP } from "./ledger.js";

// What the codes of a collector mean.
const MEANINGS = {
  closed: "the task takes no more reports",
  not_open: "the task does not take reports yet",
  unknown: "there is no such task",
  deleted: "the task was deleted",
  invitation_unknown: "the invitation is missing or unknown",
  invitation_spent: "the invitation was used before",
  conflict: "there is another report with the same id",
};

// A reason in words: what its code means, then what the collector adds to it. The noun says what it is about.
export function explain(reason, noun = "task") {
  const [first, detail] = reason.split(/: (.*)/s);
  const isCode = /^[a-z][a-z_-]{0,39}$/.test(first);
  if (!isCode) return reason;
  const code = first.replaceAll("-", "_");
  const meaning = (MEANINGS[code] ?? code.replaceAll("_", " ")).replace("task", noun);
  return detail ? `${meaning} (${detail})` : meaning;
}

const STATES = {
  sent: "the {holder} has the report",
  waiting: "the report waits to be sent",
  refused: "the {holder} refused the report",
  removed: "the report was removed from this device",
};

// The entries of a ledger in the order of days, each with a sentence.
export function inWords(entries) {
  return [...entries].sort(byDay).map((entry) => ({ ...entry, text: sentenceOf(entry) }));
}

function byDay(first, second) {
  for (const member of ["day", "survey", "round"]) {
    if (first[member] < second[member]) return -1;
    if (first[member] > second[member]) return 1;
  }
  return 0;
}

const CONDITION = "if the mixer follows the protocol and enough of the other reports are honest";

function sentenceOf({ survey, epsilon, claim, day, round, status }) {
  const what = round === undefined ? `“${survey}”` : `round ${round} of “${survey}”`;
  const state = STATES[status].replace("{holder}", claim ? "mixer" : "collector");
  if (!claim) return `On ${day}, a report for ${what} spent ε = ${epsilon}; ${state}.`;
  const spent = `spent ε = ${claim.epsilon} and δ = ${claim.delta} towards its recipient, ${CONDITION}`;
  return `On ${day}, a sealed report for ${what} ${spent}, and ε = ${epsilon} whatever fails; ${state}.`;
}

// One sentence per sum: what is spent towards recipients, and whatever fails, of how much.
export function summaryOf({ recipients, delta, local }, { cap, capPerPeriod, localCap }) {
  const lately = capPerPeriod ? `, and at most ${capPerPeriod.epsilon} in any ${capPerPeriod.days} days` : "";
  const epsilon = `ε = ${unitsToText(recipients)}`;
  const spent = delta ? `${epsilon} and δ = ${unitsToText(delta)} are` : `${epsilon} is`;
  const most = delta ? `${cap.epsilon} and ${DELTA_CAP}` : cap.epsilon;
  return [
    `Towards recipients, ${spent} spent, of at most ${most} in all${lately}${delta ? `, ${CONDITION}` : ""}.`,
    `Whatever fails, ε = ${unitsToText(local)} is spent, of at most ${localCap.epsilon} in all.`,
  ];
}
