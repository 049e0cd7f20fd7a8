// The shares of a few keys over the rounds, one chart per key: a smoothed line in its band, rounds as points, and
// bars for the ranges of rounds that differ from the others.
import { Chart } from "../shared/chart.js";
import { day, t } from "../shared/language.js";
import { count, make, plural, replace } from "../shared/page.js";
import { changeTexts, frequencyWords } from "../shared/ranges.js";
import { named } from "../shared/table.js";

const CHARTS_SHOWN = 6,
  HEIGHT = 120,
  COLOUR = "#3367a8",
  CHANGED = "#d1495b";
// How wide the band of a single round is, in pixels.
const LONE_WIDTH = 12;

// The smoothed share of a key in a round, as `frequencyWords` takes it: where its range begins at 0, noise may explain it.
export const smoothedOf = (key, place) => ({
  detected: key.smoothed_low[place] > 0,
  frequency: key.smoothed[place],
  frequency_low: key.smoothed_low[place],
  frequency_high: key.smoothed_high[place],
});

// The share of a key in a round by itself.
export const aloneOf = (key, place) => ({
  detected: key.frequency_low[place] > 0,
  frequency: key.frequency[place],
  frequency_low: key.frequency_low[place],
  frequency_high: key.frequency_high[place],
});

const span = (first, last) =>
  first === last ? count(first) : t("{least} to {most}", { least: count(first), most: count(last) });

// Between which rounds a key changed: "7 and 8", "3 to 4 and 5 to 6".
export const whenText = ({ before_first, before_last, after_first, after_last }) =>
  t("{before} and {after}", { before: span(before_first, before_last), after: span(after_first, after_last) });

export class TrendCharts {
  constructor() {
    this.charts = Array.from({ length: CHARTS_SHOWN }, () => new Chart(""));
    this.element = make("div", { class: "trends" });
  }

  // Draws the first items of a table and returns how many those are. Without the script, names are shown.
  show(items, rounds) {
    const shown = items.slice(0, CHARTS_SHOWN),
      end = Math.max(...shown.flatMap(({ key }) => pointsOf(key, rounds).map(highest)));
    replace(this.element, ...shown.map((item, place) => figure(item, this.charts[place])));
    shown.forEach(({ key, changes }, place) => {
      const found = changes.filter(({ changed }) => changed);
      this.charts[place].description = description(key, rounds, found);
      this.charts[place].draw(specification(key, rounds, found, end)).catch(() => {});
    });
    return shown.length;
  }

  stop() {
    for (const chart of this.charts) chart.stop();
  }
}

// A flag per change; one that noise may explain has none.
function figure({ key, changes }, chart) {
  const flags = changes
    .filter(({ changed }) => changed)
    .flatMap((change) => [" ", make("span", { class: "badge changed" }, changeTexts(change).value)]);
  return make("div", { class: "trend" }, make("p", {}, make("strong", {}, named(key.key)), ...flags), chart.element);
}

function description(key, rounds, changes) {
  const changed = changes.map(
    (change) =>
      ` ${t("Changed by {points} between rounds {rounds}.", { points: changeTexts(change).value, rounds: whenText(change) })}`,
  );
  const [first] = rounds;
  if (rounds.length === 1)
    return t("{name}: {now} in round {last}.", {
      name: key.key,
      now: frequencyWords(aloneOf(key, 0)),
      last: count(first.round),
    });
  const told = t("{name}: {now} in round {last}, after {before} in round {first}.", {
    name: key.key,
    now: frequencyWords(smoothedOf(key, rounds.length - 1)),
    last: count(rounds.at(-1).round),
    before: frequencyWords(smoothedOf(key, 0)),
    first: count(first.round),
  });
  return told + changed.join("");
}

function pointsOf(key, rounds) {
  return rounds.map(({ round, opens, reports }, place) => {
    const own = aloneOf(key, place),
      isLone = rounds.length === 1,
      smoothed = isLone ? own : smoothedOf(key, place),
      values = { round: count(round), opens: day(opens), responses: plural(reports, "response") };
    // Of what is not known, only the range is drawn.
    return {
      round,
      differs: key.differs[place],
      share: own.detected ? 100 * own.frequency : null,
      least: 100 * own.frequency_low,
      most: 100 * own.frequency_high,
      smoothed: smoothed.detected ? 100 * smoothed.frequency : null,
      low: 100 * smoothed.frequency_low,
      high: 100 * smoothed.frequency_high,
      words: isLone
        ? t("Round {round}, from {opens} on, {responses}: {alone}", { ...values, alone: frequencyWords(own) })
        : t("Round {round}, from {opens} on, {responses}: {smoothed} smoothed, {alone} by itself", {
            ...values,
            smoothed: frequencyWords(smoothed),
            alone: frequencyWords(own),
          }),
    };
  });
}

// The largest number that is drawn of a round.
const highest = ({ differs, share, most, high }) => Math.max(share, high, differs ? most : 0);

// Rounds without reports keep their place. The rounds between which a key changed are shaded. All charts have one axis,
// from 0 to the `end` of what any of them shows.
function specification(key, rounds, changes, end) {
  const ticks = { title: null, grid: false, format: "d", tickMinStep: 1, tickCount: 6 },
    x = {
      field: "round",
      type: "quantitative",
      axis: ticks,
      scale: { nice: false, zero: false, padding: 8 },
    };
  const percent = { title: null, tickCount: 4, labelExpr: "datum.label + ' %'" },
    y = (field) => ({ field, type: "quantitative", axis: percent, scale: { domain: [0, end], nice: true } });
  const band = rounds.length > 1 ? { type: "area" } : { type: "rule", strokeWidth: LONE_WIDTH };
  // The description says what is shaded. The name of the key is no label here.
  const shaded = {
    data: { values: changes.map(({ before_first, after_last }) => ({ before_first, after_last })) },
    mark: { type: "rect", color: CHANGED, opacity: 0.16, aria: false },
    encoding: { x: { ...x, field: "before_first" }, x2: { field: "after_last" } },
  };
  const points = pointsOf(key, rounds),
    alone = points.filter(({ differs }) => differs),
    known = points.filter(({ share }) => share !== null);
  const bars = {
    data: { values: alone },
    mark: { type: "rule", color: COLOUR, opacity: 0.5, aria: false },
    encoding: { x, y: y("least"), y2: { field: "most" } },
  };
  const layer = [
    ...(changes.length ? [shaded] : []),
    { mark: { ...band, color: COLOUR, opacity: 0.22 }, encoding: { x, y: y("low"), y2: { field: "high" } } },
    ...(points.some(({ smoothed }) => smoothed !== null)
      ? [{ mark: { type: "line", color: COLOUR }, encoding: { x, y: y("smoothed") } }]
      : []),
    ...(alone.length ? [bars] : []),
    ...(known.length
      ? [
          {
            data: { values: known },
            mark: { type: "point", filled: true, color: COLOUR, size: 20 },
            encoding: { x, y: y("share"), tooltip: { field: "words" } },
          },
        ]
      : []),
  ];
  return { hconcat: [{ height: HEIGHT, data: { values: points }, layer }] };
}
