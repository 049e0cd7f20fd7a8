// The first line of results: what was found, in everyday words and with its range. It claims no more than the ranges
// show: a key is "the most frequent" only where its range lies above all others.
import { t } from "../shared/language.js";
import { make } from "../shared/page.js";
import { differenceTexts, frequencyTexts, meanTexts } from "../shared/ranges.js";
import { named, parted } from "../shared/table.js";

// More keys than this that may be the most frequent are counted, not named.
const MAX_NAMED = 3;

// The key that may be told apart from all others, or those of which one may be the most frequent.
function leaders(rows) {
  const top = Math.max(...rows.filter(({ detected }) => detected).map(({ frequency_low: low }) => low));
  return rows.filter(({ frequency_high: high }) => high >= top).sort((one, other) => other.frequency - one.frequency);
}

// Whether the ranges of the first two lie above those of all others.
function areTwoAbove(first, rows) {
  const others = rows.filter((row) => !first.includes(row)),
    least = Math.min(...first.map(({ frequency_low: low }) => low));
  return first.length === 2 && others.every(({ frequency_high: high }) => high < least);
}

const cited = (row) => {
  const { value, range } = frequencyTexts(row);
  return t("{value} ({range})", { value, range });
};

// What is told of keys with their estimated frequencies. `isPart`: they are some of many.
function mostFrequent(rows, isPart) {
  const found = rows.filter(({ detected }) => detected).sort((one, other) => other.frequency - one.frequency);
  if (!found.length)
    return [isPart ? t("Nothing here stands out from the noise") : t("Nothing stands out from the noise")];
  const [first] = found,
    name = named(first.key),
    { value, between } = frequencyTexts(first);
  if (rows.length === 1 && !isPart)
    return parted(t("{name}: chosen by {value} of people, {between}", { value, between }), { name });
  const top = leaders(rows);
  if (top.length === 1) {
    const text = isPart
      ? t("{name} is the most frequent of those shown: {value} of people, {between}", { value, between })
      : t("{name} is the most frequent: {value} of people, {between}", { value, between });
    return parted(text, { name });
  }
  if (areTwoAbove(top, rows)) {
    const text = isPart
      ? t("{first} and {second} are the most frequent of those shown: {one} and {two} of people", {
          one: cited(top[0]),
          two: cited(top[1]),
        })
      : t("{first} and {second} are the most frequent: {one} and {two} of people", {
          one: cited(top[0]),
          two: cited(top[1]),
        });
    return parted(text, { first: named(top[0].key), second: named(top[1].key) });
  }
  const unclear = t("{name} has the highest estimate, {value} of people, {between}", { value, between });
  const others = top.filter((row) => row !== first);
  if (others.length >= MAX_NAMED)
    return parted(t("{sentence}; others may be more frequent", { sentence: unclear }), { name });
  const names =
      others.length === 1 ? t("{other} may be more frequent") : t("{other} or {another} may be more frequent"),
    [other, another] = others.map(({ key }) => named(key));
  return parted(`${unclear}; ${names}`, { name, other, another });
}

// The values of the most frequent key, where they are known.
function averageOf(rows, { unit, isPart }) {
  const top = rows.some(({ detected }) => detected) ? leaders(rows) : [];
  if (top.length !== 1 || isPart || !top[0].mean_known) return null;
  const { value, between } = meanTexts(top[0], unit),
    text = unit
      ? t("Those who chose {name} gave {value} on average, {between}.", { value, between })
      : t("Those who chose {name} rated it {value} on average, {between}.", { value, between });
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
// `warning` or why numbers are `withheld`, and what is known of groups and of keys together.
export function findingOf({ rows, answer, isPart = false, unit = "" }) {
  const line = (parts, kind = null) => parts && make("p", { class: kind }, ...parts);
  if (answer.withheld || answer.warning?.length) return [line([t("These numbers cannot be used.")], "finding")];
  if (!answer.reports) return [line([t("There are no responses yet.")], "finding")];
  return [
    line([...mostFrequent(rows, isPart), "."], "finding"),
    line(averageOf(rows, { unit, isPart })),
    line(differenceOf(answer.segments)),
    line(pairOf(answer.pairs)),
  ].filter(Boolean);
}
