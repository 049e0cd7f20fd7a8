// The facts of a series that few people need, behind a disclosure; and what its rounds promise a participant.
import { count, make, plural } from "./page.js";
import { factEntries } from "./task-details.js";

const DAYS_PER_YEAR = 365;

// How many reports a device sends at most in any 365 days, which may begin on the last day of a round.
function reportsPerYear({ period, panels, rounds }) {
  const touched = Math.ceil((DAYS_PER_YEAR - 1) / period) + 1;
  return Math.ceil(Math.min(touched, rounds ?? touched) / panels);
}

const decimal = (number) => Number(number.toPrecision(12)).toLocaleString("en");

// What w-event privacy means, for somebody who has never heard of it.
export function windowSentence({ period, panels, rounds, epsilon }) {
  const reports = reportsPerYear({ period, panels, rounds }),
    days = plural(panels * period, "day"),
    window = panels === 1 ? `one round (${days})` : `any ${count(panels)} rounds in a row (${days})`;
  return `Whatever somebody does within ${window} is hidden by ε = ${decimal(epsilon)}, since a device sends at most one report in that time; in any ${DAYS_PER_YEAR} days it sends at most ${count(reports)}, together ε = ${decimal(reports * epsilon)}.`;
}

export function seriesDetails({ task, ...contract }, series) {
  return make(
    "details",
    { class: "card" },
    make("summary", {}, make("h2", {}, "Details")),
    make("p", {}, windowSentence({ ...contract, epsilon: Number(task.epsilon) })),
    make("dl", { class: "facts" }, ...factEntries([...series.facts, ["created", series.created]])),
  );
}
