// What was entered, next to what leaves a device: the report, decoded.
import { count, make, percent } from "./page.js";

const MAX_KEYS_DECODED = 2000,
  MAX_CLAIMS_SHOWN = 12,
  MAX_BYTES_SHOWN = 64;

// The words for the person's own report, and for the example.
const OWN = { entered: "What you entered", left: "What left this device", claim: "It claims that you have:", to: "you" };
const SOMEBODY = {
  entered: "What somebody enters",
  left: "What could leave their device",
  claim: "It claims that they have:",
  to: "them",
};

// What the person entered, next to the report that was sent.
export const whatLeft = (task, report, typed) => comparison(task, report, typed, OWN, entered(typed));

// A report of somebody who entered other things, drawn for this view alone: it depends on nobody's answers. It is drawn
// when it is first looked at, since a report on very many keys takes a while.
export function exampleOf(task, perturb) {
  const heading = make("summary", {}, make("h2", {}, "What a report looks like")),
    example = make("div");
  const names = Array.from({ length: Math.min(2, task.padding) }, (_, index) => keyName(task, index));
  const pairs = new Map(names.map((name, index) => [name, index ? task.low : task.high]));
  return make("details", { class: "card", id: "example", ontoggle: draw }, heading, example);

  async function draw() {
    if (example.hasChildNodes()) return;
    example.append(
      make("p", {}, "Made up for this page: it has nothing to do with you or your answers, and is not sent."),
    );
    example.append(comparison(task, await perturb(pairs), pairs, SOMEBODY, [list(pairs)]));
  }
}

function comparison(task, report, pairs, words, shown) {
  const answer = task.answer(report.body);
  const left = make("div", {}, make("h3", {}, words.entered), ...shown);
  const right = make(
    "div",
    { class: "leaves" },
    make("h3", {}, words.left),
    ...(answer ? size(task.sizeQuestion, answer, words) : claims(task, report, pairs, words)),
    ...bytes(report),
  );
  return make("div", { class: "compare" }, left, right);
}

const keyName = (task, index) => task.keys[index] ?? String(index);

const list = (pairs) => make("ul", {}, ...Array.from(pairs, ([key, value]) => make("li", {}, `${key}: ${value}`)));

function entered(typed) {
  if (!typed) return [make("p", {}, "Your answers were not stored: only the report is.")];
  if (!typed.size) return [make("p", {}, "Nothing. A report is made all the same, so that nobody can tell.")];
  return [
    list(typed),
    make("p", {}, make("small", {}, `${count(typed.size)} in total. Your answers are neither sent nor stored.`)),
  ];
}

function claims(task, report, typed, words) {
  const all = task.keyCount <= MAX_KEYS_DECODED;
  const keys = all
    ? Array.from({ length: task.keyCount }, (_, index) => keyName(task, index))
    : [...(typed?.keys() ?? [])];
  const said = keys.map((key) => [key, task.says(report.body, key)]).filter(([, { plus, minus }]) => plus || minus);
  const listed = said.slice(0, MAX_CLAIMS_SHOWN).map(([key, says]) => make("li", {}, `${key}: ${worth(says)}`));
  const more = said.length - listed.length;
  const others = Math.round(task.odds.absent * (task.keyCount - keys.length));
  const none = all ? "It claims nothing about any of them." : "It claims nothing about what was entered.";
  return [
    typed?.size > task.padding ? make("p", {}, picked(task.padding, typed.size)) : null,
    said.length ? make("p", {}, words.claim) : make("p", {}, none),
    make("ul", {}, ...listed),
    more > 0 ? make("p", {}, `and ${count(more)} more.`) : null,
    all ? null : make("p", {}, `Of the ${count(task.keyCount - keys.length)} others it claims about ${count(others)}, by chance.`),
    make(
      "p",
      {},
      make(
        "small",
        {},
        `Chance decides: each claim is in ${percent(task.odds.absent)} of such reports by people to whom it does not apply.`,
      ),
    ),
  ].filter(Boolean);
}

const picked = (most, all) => `It was made from at most ${count(most)} of your ${count(all)} answers, picked at random.`;

function size({ share, right, wrong }, answer, { to }) {
  return [
    make("p", {}, `Chance decided that this report says only roughly how many things apply to ${to}, and not which.`),
    make("p", { class: "claim" }, `It claims that their number is ${answer}.`),
    make(
      "p",
      {},
      make(
        "small",
        {},
        `${percent(share)} of all reports are of this kind, whatever people enter. They give the right answer with probability ${percent(right)}, and each other one with probability ${percent(wrong)}. A number between two answers counts as one of the two, at random.`,
      ),
    ),
  ];
}

const worth = ({ plus, minus }) =>
  plus && minus ? "with a high or a low value" : plus ? "with a high value" : "with a low value";

function bytes({ id, body }) {
  const hex = (data) => Array.from(data.slice(0, MAX_BYTES_SHOWN), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  const rest = body.length > MAX_BYTES_SHOWN ? ` … (${count(body.length)} bytes)` : "";
  return [
    make("p", {}, `${count(id.length + body.length)} bytes in total, a random number and the claims:`),
    make("p", {}, make("code", {}, hex(id))),
    make("p", {}, make("code", { class: "body" }, hex(body), rest)),
  ];
}
