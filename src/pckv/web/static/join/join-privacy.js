// What a task asks and how its reports protect people: two sentences first, the numbers behind them.
import { make, replace } from "../shared/page.js";
import { anyOf, day, pageLanguage, percent, ratio, say, told } from "./join-strings.js";
import { mixedValues, parties } from "./mixed.js";
import { languageOf, nameOf, textOf, written } from "./texts.js";

// Beyond this ratio of chances the protection is called weak.
const WEAK_RATIO = 50;
const { host } = location;

const paragraph = (text, attributes = {}) => make("p", attributes, text);

// The question; a task that has none is told by its name.
export function heading(task) {
  document.title = say("title", { name: textOf(task, "name") });
  return written("h1", task, task.about.question ? "question" : "name");
}

export function facts(task) {
  const { about, closes } = task;
  return make(
    "div",
    { class: "about" },
    about.description ? written("p", task, "description", { class: "lines", id: "description" }) : null,
    about.eligibility
      ? make(
          "p",
          { class: "lines", id: "eligibility" },
          make("strong", {}, `${say("eligibility")}: `),
          written("span", task, "eligibility"),
        )
      : null,
    runBy(closes ? ` ${say("until", { day: day(closes, -1) })}` : ""),
    contactLine(task),
  );
}

// The organisation that asks, or the address where it has not said who it is.
function runBy(until) {
  const logo = told("organisation-logo");
  return make(
    "div",
    { id: "run-by" },
    logo === undefined ? null : make("img", { src: logo, alt: "", height: 40 }),
    paragraph(`${say("asked_by", { name: told("organisation") ?? host })}${until}`),
  );
}

export function contactLine(task) {
  if (!task.about.contact) return null;
  const contact = textOf(task, "contact"),
    attributes = { lang: languageOf(task, "contact"), dir: "auto" },
    isAddress = /^[^\s@]+@[^\s@]+$/.test(contact);
  return make(
    "p",
    { id: "contact" },
    `${say("contact")} `,
    isAddress ? make("a", { href: `mailto:${contact}`, ...attributes }, contact) : make("span", attributes, contact),
  );
}

export function privacy(task, invitation, budget, example) {
  const factor = Math.exp(Number(task.epsilon)),
    weak = factor > WEAK_RATIO,
    { mixer } = task,
    values = { ...(mixer ? mixedValues(task) : {}), factor: ratio(factor), epsilon: Number(task.epsilon) },
    // A mixed task has sentences of its own.
    tell = (usual, mixed) => say(mixer ? mixed : usual, values);
  return make(
    "section",
    { "aria-label": say("privacy"), class: "privacy" },
    make("h2", {}, say("privacy")),
    paragraph(`${say("privacy_stays")} ${tell("privacy_noise", "privacy_mixed")}`, { id: "sent-how" }),
    task.kind === "discovery"
      ? paragraph(say("text_privacy", { count: task.keys.characters }), { id: "beginnings" })
      : null,
    task.together ? paragraph(say("together_note"), { id: "together" }) : null,
    weak ? paragraph(tell("privacy_weak", "privacy_weak_mixed"), { class: "note" }) : null,
    invitation ? paragraph(tell("invited", "invited_mixed"), { id: "invited" }) : null,
    make(
      "details",
      { id: "how" },
      make("summary", {}, say("privacy_how")),
      mixer ? parties(task, invitation) : null,
      paragraph(odds(task), { id: "odds" }),
      task.sizeQuestion ? sizes(task) : null,
      paragraph(`${tell("factor", "factor_mixed")}${weak ? ` ${say("factor_weak")}` : ""}`, { id: "factor" }),
      invitation && task.coin === "server" ? paragraph(say("coin"), { id: "coin" }) : null,
      paragraph(say("once")),
      budget,
      example,
      helpLink(),
    ),
  );
}

// In a page of its own, so that the answers stay.
export const helpLink = () =>
  make(
    "p",
    { id: "help" },
    make("a", { href: `/help/participants?lang=${pageLanguage()}`, target: "_blank" }, say("privacy_help")),
  );

const someLetter = ({ alphabet }) => alphabet.match(/\p{L}/u)?.[0] ?? [...alphabet][0];

// The share of reports that claim keys: one that answers the size question claims none.
export const aboutPairs = ({ sizeQuestion }) => 1 - (sizeQuestion?.share ?? 0);

// What the noise does to an answer.
function odds(task) {
  const { keys, kind, keyCount, padding, more } = task,
    { held, absent } = task.odds,
    chances = {
      key: keys === "hashed" ? say("some_key") : nameOf(task, keys[0] ?? "0"),
      absent: percent(aboutPairs(task) * absent),
      held: percent(aboutPairs(task) * held),
    };
  if (kind === "discovery")
    return `${say("text_odds", { ...chances, key: someLetter(keys) })} ${say("odds_less", { count: padding })}`;
  if (more === "refuse") return say("odds_choose", chances);
  return padding < keyCount
    ? `${say("odds_have", chances)} ${say("odds_less", { count: padding })}`
    : say("odds_have", chances);
}

// The client's answers, like "at most 3", in the language of the page.
export function sizeText(answer) {
  const size = Number(answer.replace(/\D/g, ""));
  return say(answer.startsWith("at most") ? "size_most" : "size_about", { size });
}

function sizes({ coin, sizeQuestion: { share, answers, right, wrong } }) {
  const chances = { share: percent(share), right: percent(right), wrong: percent(wrong) };
  return paragraph(say(`sizes_${coin}`, { answers: anyOf(answers.map(sizeText)), ...chances }), {
    id: "sizes",
  });
}

export const remembered = (budget) => make("details", {}, make("summary", {}, say("remembered_title")), budget);

// What was spent, of how much: towards the organisation that asks, and whatever fails.
export async function sumsOf(client) {
  const [spent, cap, localSpent, localCap] = await Promise.all([
    client.spent(),
    client.cap(),
    client.localSpent(),
    client.localCap(),
  ]);
  return { spent: Number(spent), cap: Number(cap), localSpent: Number(localSpent), localCap: Number(localCap) };
}

// What was spent and where that is remembered; and whether the browser may forget it, which is never hidden.
export async function showBudget(client, { mixer }, isRepeated, budget, forgetful) {
  const sums = await sumsOf(client),
    { spent, localSpent, localCap } = sums,
    mayForget = localSpent && !(await navigator.storage.persisted());
  replace(
    budget,
    // Without mixed reports both sums are the same.
    mixer || spent !== localSpent
      ? paragraph(`${say("budget_mixed", { host, ...sums })} ${say("budget_local", { localSpent, localCap })}`)
      : paragraph(say("budget", { host, ...sums })),
    paragraph(say(isRepeated ? "answered_rounds" : "answered_once")),
    paragraph(say("remembered", { host })),
  );
  const words = say(isRepeated ? "forgetful_rounds" : "forgetful", { host });
  replace(forgetful, mayForget ? paragraph(words, { class: "note", id: "forgetful" }) : null);
}
