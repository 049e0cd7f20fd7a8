// What participants read about a task whose reports are sealed and mixed: who mixes them, and what each party can
// learn under which condition. Wherever an ε stands, its condition stands beside it.
import { make } from "../shared/page.js";
import { day, ratio, say, told } from "./join-strings.js";

const PARTIES = ["party_mixer", "party_mixer_cheats", "party_recipient", "party_both", "party_page"];

// Where the reports of a task are sent.
export const receiverOf = ({ mixer }) => (mixer ? new URL(mixer.url).host : location.host);

// What the sentences about a mixed task name.
export function mixedValues({ mixer, epsilon, closes }) {
  return {
    operator: mixer.operator,
    address: new URL(mixer.url).host,
    host: location.host,
    batch: mixer.batch,
    others: mixer.batch - 1,
    honest: mixer.honest,
    few: Math.max(1, Math.floor(mixer.honest / 4)),
    epsilon: Number(mixer.epsilon),
    delta: Number(mixer.delta),
    local: Number(epsilon),
    factor: ratio(Math.exp(Number(mixer.epsilon))),
    day: closes ? day(closes, -1) : "",
  };
}

// Comes with the page, since no browser computes it; a preview has none.
function few(values) {
  const left = told("epsilon-of-few");
  return left ? ` ${say("honest_few", { ...values, left: Number(left), factor: ratio(Math.exp(left)) })}` : null;
}

export function parties(task, invitation) {
  const values = mixedValues(task);
  return make(
    "div",
    { id: "parties" },
    make("h3", {}, say("parties")),
    make("ul", {}, ...PARTIES.map((party) => make("li", {}, say(party, values)))),
    make("p", { id: "honest" }, say(invitation ? "honest_invited" : "honest_open", values), few(values)),
  );
}
