// What was entered, next to what leaves a device: the report, decoded.
import { make } from "../shared/page.js";
import { hasValues } from "../shared/task-words.js";
import { percent, say } from "./join-strings.js";
import { aboutPairs, sizeText } from "./join-privacy.js";
import { takesAnyText } from "./own-keys.js";
import { keyName } from "./pairs-form.js";
import { labelNamed, labelOf, nameOf, named, textOf, written } from "./texts.js";
import { levelsText, valueText } from "./value-row.js";

const MAX_KEYS_DECODED = 2000,
  MAX_CLAIMS_SHOWN = 12,
  MAX_BYTES_SHOWN = 64;

const paragraph = (text, attributes = {}) => make("p", attributes, text);

const small = (text) => make("p", {}, make("small", {}, text));

// What the person entered, next to the report that was sent.
export const whatLeft = (task, report, typed, segment) =>
  make(
    "section",
    { "aria-label": say("what_was_sent") },
    make("h2", {}, say("what_was_sent")),
    task.mixer ? paragraph(say("sealed_note", { count: report.sealed.length }), { id: "sealed" }) : null,
    comparison(task, report, typed, "own", [...labelEntered(task, segment), ...entered(task, typed)]),
  );

// An example report of other answers, drawn for this view alone: it depends on no participant's answers. It
// is drawn when it is first looked at, since a report on very many keys takes a while.
export function exampleOf(task, perturb) {
  const drawn = make("div"),
    made = takesAnyText(task) ? someTexts(task) : Array.from({ length: 2 }, (_, index) => keyName(task, index)),
    names = made.slice(0, task.padding);
  const pairs = hasValues(task)
    ? new Map(names.map((name, index) => [name, index ? task.low : task.high]))
    : new Set(names);
  return make("details", { id: "example", ontoggle: draw }, make("summary", {}, say("example")), drawn);

  async function draw() {
    if (drawn.hasChildNodes()) return;
    drawn.append(paragraph(say("example_note")));
    const shown = [...labelEntered(task, task.segment?.labels[0]), list(task, pairs)];
    drawn.append(comparison(task, await perturb(pairs), pairs, "example", shown));
  }
}

// What a participant could write; a discovery finds only texts of its alphabet.
function someTexts({ kind, keys, read }) {
  const texts = [say("some_key"), say("another_key")];
  return kind === "discovery" ? [...read(texts), ...read(keys.alphabet.match(/\p{L}/gu) ?? [...keys.alphabet])] : texts;
}

// `whose` chooses the words: the person's own report, or the example.
function comparison(task, report, pairs, whose, shown) {
  const answer = task.answer(report.body);
  const left = make("div", {}, make("h3", {}, say(`${whose}_entered`)), ...shown);
  const right = make(
    "div",
    { class: "leaves" },
    make("h3", {}, say(`${whose}_${task.mixer ? "sealed" : "left"}`)),
    ...(answer
      ? size(task.sizeQuestion, answer, whose)
      : (task.kind === "discovery" ? beginnings : claims)(task, report, pairs)),
    bytes(task, report),
  );
  return make("div", { class: "compare" }, left, right);
}

// The keys that were entered, as reports know them: all that are not listed are one.
function namesOf(task, typed) {
  const { other, otherIndex } = task;
  return new Set(
    Array.from(typed?.keys() ?? [], (key) => (task.keyIndex(key, otherIndex) === otherIndex ? other : key)),
  );
}

const list = (task, pairs) =>
  make(
    "ul",
    {},
    ...Array.from(pairs.entries(), ([key, value]) =>
      make(
        "li",
        {},
        hasValues(task) ? say("pair", { key: nameOf(task, key), value: valueText(task, value) }) : named(task, key),
      ),
    ),
  );

function entered(task, typed) {
  if (!typed) return [paragraph(say("not_stored"))];
  if (!typed.size) return [paragraph(say("entered_nothing"))];
  return [list(task, typed), small(say("entered", { count: typed.size }))];
}

const labelEntered = (task, label) =>
  label === undefined
    ? []
    : [make("p", {}, make("strong", {}, written("bdi", task, "segment_name")), " ", labelNamed(task, label))];

// What a report claims besides keys: labels of a segment, or which keys go together.
function furtherClaims(task, body) {
  if (task.together) return [paragraph(say("together_claims"))];
  if (!task.segment) return [];
  const name = textOf(task, "segment_name"),
    claimed = task.segment.labels.filter((label) => task.saysLabel(body, label)),
    labels = claimed.map((label) => labelOf(task, label)).join(", ");
  return [
    paragraph(claimed.length ? say("segment_claims", { name, labels }) : say("segment_claims_none", { name }), {
      id: "segment-claims",
    }),
    claimed.length ? small(say("segment_by_chance")) : null,
  ];
}

// Of keys that are asked about together, a report may name two without naming either alone.
const noneOf = ({ together }, all) => (together ? "claims_none_alone" : all ? "claims_none" : "claims_none_entered");

function claims(task, { body }, typed) {
  const all = task.keyCount <= MAX_KEYS_DECODED;
  const keys = all
    ? Array.from({ length: task.keyCount }, (_, index) => keyName(task, index))
    : [...namesOf(task, typed)];
  const said = keys.map((key) => [key, task.says(body, key)]).filter(([, levels]) => levels.length),
    listed = said.slice(0, MAX_CLAIMS_SHOWN),
    more = said.length - listed.length,
    rest = task.keyCount - keys.length,
    share = percent(task.odds.absent),
    [held, byChance] = [task.odds.held, task.odds.absent].map((chance) => percent(aboutPairs(task) * chance));
  return [
    typed?.size > task.padding ? paragraph(say("picked", { count: task.padding, all: typed.size })) : null,
    paragraph(say(said.length ? "claims" : noneOf(task, all))),
    make("ul", {}, ...listed.map(([key, levels]) => make("li", {}, claimOf(task, key, levels)))),
    more > 0 ? paragraph(say("claims_more", { count: more })) : null,
    all
      ? null
      : paragraph(
          task.keys === "hashed"
            ? say("claims_texts", { share })
            : say("claims_others", { rest, count: Math.round(task.odds.absent * rest) }),
        ),
    said.length ? small(say("claims_chance", { count: said.length, held, share: byChance })) : null,
    ...furtherClaims(task, body),
  ].filter(Boolean);
}

// What a report to a discovery claims of the texts that were entered: how they begin.
function beginnings(task, { body }, typed) {
  const count = task.prefixLength(body),
    share = percent(task.odds.absent),
    texts = task.read(typed ?? []).filter((text) => task.says(body, text).length),
    begun = new Set(texts.map((text) => [...text].slice(0, count).join(""))),
    shown = (text) => say([...text].length < count ? "text_whole" : "text_start", { text });
  return [
    typed?.size > task.padding ? paragraph(say("picked", { count: task.padding, all: typed.size })) : null,
    paragraph(say("text_asked", { count })),
    paragraph(say(begun.size ? "begins" : "text_none")),
    make("ul", {}, ...Array.from(begun, (text) => make("li", {}, shown(text)))),
    paragraph(say("text_others", { share })),
    begun.size ? small(say("begins_chance", { share })) : null,
  ].filter(Boolean);
}

function size({ share, right, wrong }, answer, whose) {
  return [
    paragraph(say(`${whose}_size`)),
    paragraph(say("size_claim", { answer: sizeText(answer) }), { class: "claim" }),
    small(say("size_chance", { share: percent(share), right: percent(right), wrong: percent(wrong) })),
  ];
}

const claimOf = (task, key, levels) =>
  hasValues(task) ? say("pair", { key: nameOf(task, key), value: worth(task, levels) }) : named(task, key);

// What a report claims of a value: with two levels, no more than where it lies.
function worth(task, levels) {
  if (task.levelValues.length > 2) return say("claim_levels", { values: levelsText(task, levels) });
  return say(levels.length > 1 ? "claim_both" : levels[0] ? "claim_high" : "claim_low");
}

// What is sealed has no id: the recipient gives each report its own.
function bytes({ mixer }, { id, body }) {
  const hex = (data) =>
    Array.from(data.slice(0, MAX_BYTES_SHOWN), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  const rest = body.length > MAX_BYTES_SHOWN ? say("bytes_rest", { count: body.length }) : "";
  return make(
    "details",
    { class: "bytes" },
    make("summary", {}, say("bytes")),
    paragraph(
      mixer ? say("bytes_sealed", { count: body.length }) : say("bytes_note", { count: id.length + body.length }),
    ),
    mixer ? null : make("p", {}, make("code", {}, hex(id))),
    make("p", {}, make("code", { class: "body" }, hex(body), rest)),
  );
}
