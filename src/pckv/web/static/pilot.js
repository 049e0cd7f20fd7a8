// A pilot on the dashboard: what it is, and what it is for.
import { make } from "./page.js";
import { snippet } from "./share.js";

export const ABOUT_A_PILOT =
  "A pilot asks only how many of the keys people hold. By the answers the padding of the main task is chosen, which has the same name. Nobody can take part in both, for that would spend ε twice: ask one in ten people.";

export const CHART_OF_A_PILOT =
  "The share of people who hold so many pairs, with intervals; the table below has the same numbers.";

export function nextSection({ keys, epsilon }) {
  const lines = `pckv plan --keys ${keys} --users USERS --epsilon ${epsilon} --sizes sizes.csv\n`;
  return make(
    "section",
    { "aria-label": "Next" },
    make("h2", {}, "Next"),
    make(
      "p",
      {},
      "Once there are enough reports for narrow intervals, close the pilot and download the CSV as sizes.csv. This plans the main task, where USERS are the people who are left to ask:",
    ),
    snippet("The padding of the main task", lines),
  );
}
