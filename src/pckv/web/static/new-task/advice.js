// Beside a light that is not green: whether one may go on, and what would help in this survey.
import { t } from "../shared/language.js";
import { count, make, percent } from "../shared/page.js";
import { levelName } from "./privacy-field.js";

// Two digits say enough of a forecast.
export const round = (number) => Number(number.toPrecision(2));

// Whether one may publish as it is; where not even what all choose would show, that stands below what would help.
export function goingOn(light, { reach, rarest }) {
  if (light === "green" || reach === null) return null;
  if (light === "red")
    return t(
      "You can publish if that is enough for you: of answers that fewer people choose, the result will hardly tell anything.",
    );
  return reach <= rarest
    ? t("You can publish: the answers stand out. How many people give each rating stays imprecise.")
    : t("You can publish: frequent answers will stand out, rarer ones probably not.");
}

const CHANGES = {
  epsilon: ({ value }) =>
    t("Only if the question allows it, a lighter privacy level: {level}.", { level: levelName(value) }),
  keys: ({ value }, { keys }) =>
    t("{number} answer options instead of {all}, if people choose as many of them as before.", {
      number: count(Number(value)),
      all: count(keys),
    }),
  levels: () => t("Telling of a rating only whether it is low or high (under “Another scale”)."),
  values: () => t("No ratings: people only choose."),
  segment: () => t("No groups to compare."),
  together: () => t("Not asking what is chosen together."),
  most: ({ value }) => t("At most {number} choices per person.", { number: count(Number(value)) }),
  single: () => t("One choice per person."),
  both: () => t("One choice per person, and no ratings."),
  people: ({ value }, { isRound }) =>
    isRound
      ? t("Twice as many people, {people} in every round.", { people: count(Number(value)) })
      : t("Twice as many people, {people}.", { people: count(Number(value)) }),
  mixer: () =>
    t(
      "A mixer that a party outside your organisation runs (“Privacy”, “More options”): the privacy towards you stays the same.",
    ),
};

function effect({ light, smallest }, now) {
  const share = percent(round(smallest));
  if (light === "green") return t("Then: enough people.");
  return light === now
    ? t("Then an answer stands out if at least {share} of people choose it.", { share })
    : t("Then: enough people for frequent answers, of which each stands out that at least {share} choose.", { share });
}

const list = (items) =>
  items.length
    ? [make("h3", {}, t("What would help")), make("ul", {}, ...items.map((item) => make("li", {}, item)))]
    : [];

// `ways` are measured: what the collector planned with one thing changed. `values` are what was planned; in a series
// without a mixer they are those of one round.
export function advice({ ways, values, light, outlook, isRound }) {
  const { enough, reach } = outlook;
  // Less privacy comes last.
  const line = (way) => `${CHANGES[way.name](way, { ...values, isRound })} ${effect(way, light)}`,
    isLighter = ({ name }) => name === "epsilon",
    items = ways.filter((way) => !isLighter(way)).map(line);
  if (enough?.users) {
    // Rounded up: fewer would not be enough.
    const digit = 10 ** Math.max(0, Math.floor(Math.log10(enough.users)) - 1),
      people = { people: count(Math.ceil(enough.users / digit) * digit) };
    items.push(
      isRound
        ? t("More people: with about {people} in every round, there are enough.", people)
        : t("More people: with about {people}, there are enough.", people),
    );
  }
  items.push(...ways.filter(isLighter).map(line));
  const better = t(
    "If you can change nothing of it, better do not ask: it would cost people's privacy, and the result would probably show nothing.",
  );
  return [...list(items), reach === null ? make("p", {}, better) : null];
}

// What finds rarer texts, always.
export function discoveryAdvice({ characters, padding, epsilon }) {
  return list(
    [
      t("More people."),
      characters > 1 ? t("Fewer letters.") : null,
      padding > 1 ? t("Fewer answers per response.") : null,
      Number(epsilon) < 3 ? t("Only if the question allows it, a lighter privacy level.") : null,
    ].filter(Boolean),
  );
}
