// What people read about refusals and about the ledger.

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
  sent: "the collector has the report",
  waiting: "the report waits to be sent",
  refused: "the collector refused the report",
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

function sentenceOf({ survey, epsilon, day, round, status }) {
  const what = round === undefined ? `“${survey}”` : `round ${round} of “${survey}”`;
  return `On ${day}, a report for ${what} spent ε = ${epsilon}; ${STATES[status]}.`;
}
