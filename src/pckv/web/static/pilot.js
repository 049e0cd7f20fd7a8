// A pilot on the dashboard: what it is, and what it is for.
import { make } from "./page.js";
import { snippet } from "./share.js";

export const PILOT_DESCRIPTION =
  "A pilot asks only how many of the keys people hold. The answers decide the padding of the main task, which has the same name. Nobody can take part in both, since that would spend ε twice: ask one in ten people.";

export const PILOT_CHART_DESCRIPTION =
  "The share of people by the number of pairs they hold, with intervals; the table below has the same numbers.";

export function nextSection({ keys, epsilon }) {
  const lines = `pckv plan --keys ${keys} --users USERS --epsilon ${epsilon} --sizes sizes.csv\n`;
  return make(
    "section",
    { "aria-label": "Next" },
    make("h2", {}, "Next"),
    make(
      "p",
      {},
      "Once there are enough reports for narrow intervals, close the pilot and download the CSV as sizes.csv. The command below plans the main task; USERS is the number of people who are left to ask:",
    ),
    snippet("The padding of the main task", lines),
  );
}
