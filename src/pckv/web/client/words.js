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
  if (!/^[a-z][a-z_-]{0,39}$/.test(first)) return reason;
  const code = first.replaceAll("-", "_"), meaning = (MEANINGS[code] ?? code.replaceAll("_", " ")).replace("task", noun);
  return detail ? `${meaning} (${detail})` : meaning;
}

const STATES = {
  sent: "the collector has the report",
  waiting: "the report waits to be sent",
  refused: "the collector refused the report",
  removed: "the report was removed from this device",
};

const order = (x, y) => (x > y) - (x < y);

// The entries of a ledger in the order of days, each with a sentence.
export const inWords = (entries) =>
  entries
    .sort((a, b) => order(a.day, b.day) || order(a.survey, b.survey) || order(a.round, b.round))
    .map((entry) => ({ ...entry, text: textOf(entry) }));

function textOf({ survey, epsilon, day, round, status }) {
  const what = round === undefined ? `“${survey}”` : `round ${round} of “${survey}”`;
  return `On ${day}, a report for ${what} spent ε = ${epsilon}; ${STATES[status]}.`;
}
