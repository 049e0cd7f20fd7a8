// What is told of the batch of a mixed survey, whose responses are at its mixer until its last day.
import { day, t } from "../shared/language.js";
import { count, make, percent } from "../shared/page.js";
import { copyButton } from "../shared/snippet.js";
import { isDeletedUnread } from "../shared/task-words.js";
import { told } from "../shared/told.js";

export const isMixed = ({ mixer }) => Boolean(mixer);

// How many responses there are, and what they are: as the mixer said last, or those that came.
export function reportsOf({ batch, reports, phase }) {
  if (batch?.state === "waiting" && batch.waiting !== null) {
    const words = batch.waiting === 1 ? t("sealed response at the mixer") : t("sealed responses at the mixer");
    return [batch.waiting, words];
  }
  if (phase === "closed" || batch) return [reports, reports === 1 ? t("response") : t("responses")];
  return [reports, reports === 1 ? t("response so far") : t("responses so far")];
}

// How much of the batch there is; nothing once it has come.
export function batchProgress({ batch, mixer }) {
  if (batch?.state !== "waiting" || batch.waiting === null) return [];
  const share = percent(Math.floor((1000 * Math.min(batch.waiting, mixer.batch)) / mixer.batch) / 1000);
  return [
    make("progress", {
      max: mixer.batch,
      value: Math.min(batch.waiting, mixer.batch),
      "aria-label": t("Of the batch: {share}", { share }),
    }),
    make(
      "p",
      {},
      t(
        "{share} of the {batch} that the mixer hands over at least, as it said on {day}. It counts once a day: what came since is not in it.",
        { share, batch: count(mixer.batch), day: day(batch.asked) },
      ),
    ),
  ];
}

// How far it is, and whether that needs attention.
export function batchNote({ batch }) {
  const needsAttention = batch && (isDeletedUnread(batch) || batch.failed !== null || batch.unreadable > 0);
  return batch ? make("p", { id: "batch", class: needsAttention ? "note" : "soft" }, told(batch.sentence)) : null;
}

// How people take part, where the mixer decides who may.
export const mixedLink = ({ operator }, link) =>
  make(
    "div",
    {},
    make("p", {}, t("Devices send sealed responses to the mixer of {operator}, by this link:", { operator })),
    make("p", {}, make("a", { href: link }, link)),
    make("div", { class: "buttons" }, copyButton(t("Copy the link"), link)),
    make(
      "p",
      {},
      t(
        "Let {operator} or a third party make invitations and send the link with one to each person. If you send it yourself, or without invitations, you could fill the batch with responses of your own: how many are honest is then an assumption that rests on your word.",
        { operator },
      ),
    ),
  );

// Why what can be done with other surveys cannot be done with this one.
export const mixerDecides = ({ operator, url }, closes) =>
  make(
    "p",
    {},
    t(
      "Invitations are made at the mixer ({operator}, {url}), which takes responses until {day}: that day is part of what participants agreed to, and the survey cannot be closed earlier. One batch comes, and none after it.",
      { operator, url, day: day(closes) },
    ),
  );
