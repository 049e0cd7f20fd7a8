// What is told of the batch of a mixed task, whose reports are at its mixer until its closing day.
import { count, make, percent } from "../shared/page.js";
import { copyButton } from "../shared/snippet.js";
import { isDeletedUnread } from "../shared/task-words.js";

export const isMixed = ({ mixer }) => Boolean(mixer);

// How many reports there are, and what they are: as the mixer said last, or those that came.
export function reportsOf({ batch, reports, phase }) {
  if (batch?.state === "waiting" && batch.waiting !== null) {
    return [batch.waiting, `sealed ${batch.waiting === 1 ? "report" : "reports"} at the mixer`];
  }
  return [reports, `${reports === 1 ? "report" : "reports"}${phase === "closed" || batch ? "" : " so far"}`];
}

// How much of the batch there is; nothing once it has come.
export function batchProgress({ batch, mixer }) {
  if (batch?.state !== "waiting" || batch.waiting === null) return [];
  const share = percent(Math.floor((1000 * Math.min(batch.waiting, mixer.batch)) / mixer.batch) / 1000);
  return [
    make("progress", {
      max: mixer.batch,
      value: Math.min(batch.waiting, mixer.batch),
      "aria-label": `Of the batch: ${share}`,
    }),
    make(
      "p",
      {},
      `${share} of the ${count(mixer.batch)} that the mixer hands over at least, as it said on ${batch.asked}. It counts once a day: what came since is not in it.`,
    ),
  ];
}

// How far it is, and whether that needs attention.
export function batchNote({ batch }) {
  const needsAttention = batch && (isDeletedUnread(batch) || batch.failed !== null || batch.unreadable > 0);
  return batch ? make("p", { id: "batch", class: needsAttention ? "note" : "soft" }, batch.sentence) : null;
}

// How people take part, where the mixer decides who may.
export const mixedLink = ({ operator }, link) =>
  make(
    "div",
    {},
    make("p", {}, "Devices send sealed reports to the mixer of ", operator, ", by this link:"),
    make("p", {}, make("a", { href: link }, link)),
    make("div", { class: "buttons" }, copyButton("Copy the link", link)),
    make(
      "p",
      {},
      "Let ",
      operator,
      " or a third party make invitations and send the link with one to each person. If you send it yourself, or without invitations, you could fill the batch with reports of your own: how many are honest is then an assumption that rests on your word.",
    ),
  );

// Why what can be done with other tasks cannot be done with this one.
export const mixerDecides = ({ operator, url }, closes) =>
  make(
    "p",
    {},
    `Invitations are made at the mixer (${operator}, ${url}), which takes reports until ${closes}: that day is part of what participants agreed to, and the task cannot be closed earlier. One batch comes, and none after it.`,
  );
