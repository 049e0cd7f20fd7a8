// Public results in the language of their reader, as far as the operator wrote their texts and names in it.
import { shownIn } from "/client/translations.js";

// What names a key, and a label of the segment, in the tables and charts of results.
const KEYS = ["key", "partner", "first", "second", "other"],
  LABELS = ["label", "label_a", "label_b", "segment"];

// The results with texts and names in the nearest of some languages; `about` says which.
export function inLanguage({ names, about, ...results }, preferred) {
  const { name, keys: _, segment_name: question, segment_labels: given, ...texts } = shownIn(about, preferred),
    keys = new Map(Object.entries(names[texts.language] ?? {})),
    own = results.segments?.labels ?? [],
    labels = new Map(given.map((label, index) => [own[index]?.label, label])),
    called = (member, value) =>
      (KEYS.includes(member) ? keys.get(value) : LABELS.includes(member) ? labels.get(value) : undefined) ?? value,
    shown = JSON.parse(JSON.stringify(results), called);
  if (question && shown.segments) {
    // The verdict quotes the question.
    const quoted = (text) => text.replaceAll(`“${shown.segments.name}”`, `“${question}”`);
    shown.verdict = shown.verdict?.map(quoted);
    shown.segments.name = question;
  }
  return { ...shown, name: name || results.name, about: texts };
}
