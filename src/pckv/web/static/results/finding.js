// The first line of results: what was found, in everyday words and with its range. It claims no more than the ranges
// show: a key was "chosen most often" only where its range lies above all others.
import { t } from "../shared/language.js";
import { make, plural } from "../shared/page.js";
import { differenceTexts, frequencyTexts, meanTexts, scaleEnds } from "../shared/ranges.js";
import { named, parted } from "../shared/table.js";
import { isDeletedUnread } from "../shared/task-words.js";

// More keys than this that may be the most frequent are not named.
const MAX_NAMED = 3;
// Where even the first range is as wide as this, more responses are waited for.
const MAX_WIDTH = 0.5;

// The key that may be told apart from all others, or those of which one may be the most frequent.
function leaders(rows) {
  const top = Math.max(...rows.filter(({ detected }) => detected).map(({ frequency_low: low }) => low));
  return rows.filter(({ frequency_high: high }) => high >= top).sort((one, other) => other.frequency - one.frequency);
}

// Whether the ranges of some lie above those of all others.
function areAbove(some, rows) {
  const others = rows.filter((row) => !some.includes(row)),
    least = Math.min(...some.map(({ frequency_low: low }) => low));
  return others.every(({ frequency_high: high }) => high < least);
}

function cited(row) {
  const { value, range } = frequencyTexts(row);
  return make("span", { class: "cited" }, t("{value} ({range})", { value, range }));
}

// Of several keys that lie above all others each is named with its range, and no name with commas in it is taken for two.
// Where one of several may be the most frequent, the first is named with its range, and those that may be zero, or more
// than three, are not named.
const LISTS = [t("{a}, {x} of people; {b}, {y}"), t("{a}, {x} of people; {b}, {y}; {c}, {z}")],
  ALL = t("These were chosen most often: {list}"),
  ALL_SHOWN = t("Of those shown, these were chosen most often: {list}"),
  ONE_OF = [
    t("{a} is highest, with {x} of people; that is not certain, since the range of {b} overlaps with it"),
    t("{a} is highest, with {x} of people; that is not certain, since the ranges of {b} and {c} overlap with it"),
  ],
  ONE_OF_TWO = t(
    "{a} is highest, with {x} of people; that is not certain, since the range of another answer overlaps with it",
  ),
  ONE_OF_MORE = t("{a} is highest, with {x} of people; that is not certain, since several ranges overlap with it");

// None of those with the same rounded share is named as the highest.
const TIED = [
  t("{a} and {b} are highest, each with about {value} of people; which answer is chosen most often is not certain"),
  t(
    "{a}, {b} and {c} are highest, each with about {value} of people; which answer is chosen most often is not certain",
  ),
];

// What is told of keys with their estimated frequencies. `isPart`: they are some of many.
function mostFrequent(rows, isPart) {
  const top = leaders(rows),
    shown = top.filter(({ detected }) => detected).slice(0, MAX_NAMED),
    [a, b, c] = shown.map(({ key }) => named(key)),
    [x, y, z] = shown.map(cited);
  if (rows.length === 1 && !isPart) {
    const { value, between } = frequencyTexts(rows[0]);
    return parted(t("{name}: chosen by {value} of people, {between}", { value, between }), { name: a });
  }
  let sentence;
  if (top.length > 1) {
    const { value } = frequencyTexts(shown[0]),
      tied = shown.filter((row) => frequencyTexts(row).value === value).length;
    if (tied > 1 && !areAbove(top, rows)) sentence = TIED[tied - 2].replace("{value}", value);
    else if (shown.length < top.length) sentence = top.length === 2 ? ONE_OF_TWO : ONE_OF_MORE;
    else if (areAbove(top, rows))
      return parted((isPart ? ALL_SHOWN : ALL).replace("{list}", LISTS[shown.length - 2]), { a, b, c, x, y, z });
    else sentence = ONE_OF[shown.length - 2];
  } else {
    const { value, between } = frequencyTexts(top[0]);
    sentence = t("{a} was chosen most often: {value} of people, {between}", { value, between });
  }
  return parted(isPart ? t("Of those shown: {sentence}", { sentence }) : sentence, { a, b, c, x, y, z });
}

// Whether something is known of the key with the highest estimate.
function isClear(rows) {
  const [first] = rows.filter(({ detected }) => detected).sort((one, other) => other.frequency - one.frequency);
  return first !== undefined && first.frequency_high - first.frequency_low < MAX_WIDTH;
}

// Of a survey without any.
export const noResponses = ({ phase }) =>
  phase === "closed" ? t("There were no responses.") : t("There are no responses yet.");

// The same for operators, with what is to be done. The head tells when the reports of a mixed task come, or why there
// are none.
export function emptyText({ batch, phase, by_invitation }) {
  if (batch)
    return isDeletedUnread(batch)
      ? t("There are no responses.")
      : t("There are no responses here yet: they come together, from the mixer.");
  if (phase === "closed") return t("No responses came before this survey was closed.");
  return by_invitation
    ? t("No responses yet: only people with an invitation can take part.")
    : t("No responses yet: share the link with the people who are to take part.");
}

// While more responses may come.
const isEarly = ({ phase, target = null }, reports) => phase === "open" && (target === null || reports < target);

// The values of the most frequent key, where they are known.
function averageOf(rows, { task, isPart }) {
  const top = rows.some(({ detected }) => detected) ? leaders(rows) : [];
  if (top.length !== 1 || isPart || !top[0].mean_known) return null;
  const { unit } = task.about,
    { value, between } = meanTexts(top[0], unit),
    ends = scaleEnds(task),
    values = {
      value,
      between: ends ? t("{between} on a scale from {first} to {last}", { between, ...ends }) : between,
    },
    text = unit
      ? t("Those who chose {name} gave {value} on average, {between}.", values)
      : t("Those who chose {name} rated it {value} on average, {between}.", values);
  return parted(text, { name: named(top[0].key) });
}

// The largest difference between two groups that stands out.
function differenceOf(segments) {
  const [first] = [...(segments?.differences ?? [])].sort((one, other) => other.difference - one.difference);
  if (!first) return null;
  const { value, between } = differenceTexts(first),
    text = t("{name} is chosen more often in {one} than in {other}: {value}, {between}.", { value, between });
  return parted(text, { name: named(first.key), one: named(first.label_a), other: named(first.label_b) });
}

function pairOf(pairs) {
  const first = pairs?.rows?.find(({ relation }) => relation === "together");
  if (!first) return null;
  return parted(t("{first} and {second} are chosen together more often than by chance."), {
    first: named(first.first),
    second: named(first.second),
  });
}

// `rows` are estimates of listed keys; `isPart` says that there are others. `answer` has the number of reports, a
// `warning` or why numbers are `withheld`, and what is known of groups and of keys together; `task` its phase and scale.
export function findingOf({ rows, answer, task, isPart = false }) {
  const line = (parts, kind = null) => parts && make("p", { class: kind }, ...parts);
  if (answer.withheld || answer.warning?.length) return [line([t("These numbers cannot be used.")], "finding")];
  if (!answer.reports) return [line([noResponses(task)], "finding")];
  const responses = plural(answer.reports, "response"),
    hasAny = rows.some(({ detected }) => detected);
  let found;
  if (!isClear(rows) && isEarly(task, answer.reports))
    found = [t("Too early to say much: {responses} so far", { responses })];
  else if (hasAny) found = mostFrequent(rows, isPart);
  else if (rows.every(({ frequency_high: high }) => high >= 1))
    found = [
      isPart
        ? t("From {responses}, nothing can be said about any of the answer options shown", { responses })
        : t("From {responses}, nothing can be said about any answer option", { responses }),
    ];
  else
    found = [
      isPart
        ? t("For none of the answer options shown is it clear whether anyone chose it")
        : t("For no answer option is it clear whether anyone chose it"),
    ];
  return [
    line([...found, "."], "finding"),
    line(averageOf(rows, { task, isPart })),
    line(differenceOf(answer.segments)),
    line(pairOf(answer.pairs)),
  ].filter(Boolean);
}
