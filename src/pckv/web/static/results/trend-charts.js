// The shares of a few keys over the rounds, one chart per key: a smoothed line in its band, rounds as points, and
// bars for the ranges of rounds that differ from the others.
import { Chart } from "../shared/chart.js";
import { count, make, replace } from "../shared/page.js";
import { changeTexts, frequencyTexts } from "../shared/ranges.js";

const CHARTS_SHOWN = 6,
  HEIGHT = 120,
  COLOUR = "#3367a8",
  CHANGED = "#d1495b";
// How wide the band of a single round is, in pixels.
const LONE_WIDTH = 12;

// The smoothed share of a key in a round, as `frequencyTexts` takes it.
export const smoothedOf = (key, place) => ({
  frequency: key.smoothed[place],
  frequency_low: key.smoothed_low[place],
  frequency_high: key.smoothed_high[place],
});

// The share of a key in a round by itself.
export const aloneOf = (key, place) => ({
  frequency: key.frequency[place],
  frequency_low: key.frequency_low[place],
  frequency_high: key.frequency_high[place],
});

const span = (first, last) => (first === last ? count(first) : `${count(first)}–${count(last)}`);

// Between which rounds a key changed: "7 and 8", "3–4 and 5–6".
export const whenText = ({ before_first, before_last, after_first, after_last }) =>
  `${span(before_first, before_last)} and ${span(after_first, after_last)}`;

export class TrendCharts {
  constructor() {
    this.charts = Array.from({ length: CHARTS_SHOWN }, () => new Chart(""));
    this.element = make("div", { class: "trends" });
  }

  // Draws the first items of a table and returns how many those are. Without the script, names are shown.
  show(items, rounds) {
    const shown = items.slice(0, CHARTS_SHOWN);
    replace(this.element, ...shown.map((item, place) => figure(item, this.charts[place])));
    shown.forEach(({ key, changes }, place) => {
      const found = changes.filter(({ changed }) => changed);
      this.charts[place].description = description(key, rounds, found);
      this.charts[place].draw(specification(key, rounds, found)).catch(() => {});
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
  return make("div", { class: "trend" }, make("p", {}, make("strong", {}, key.key), ...flags), chart.element);
}

function description(key, rounds, changes) {
  const now = frequencyTexts(smoothedOf(key, rounds.length - 1)),
    before = frequencyTexts(smoothedOf(key, 0));
  const changed = changes.map(
    (change) => ` Changed by ${changeTexts(change).value} between rounds ${whenText(change)}.`,
  );
  return `${key.key}: ${now.value} (${now.range}) in round ${count(rounds.at(-1).round)}, after ${before.value} in round ${count(rounds[0].round)}.${changed.join("")}`;
}

function pointsOf(key, rounds) {
  return rounds.map(({ round, opens, reports }, place) => {
    const smoothed = smoothedOf(key, place),
      own = aloneOf(key, place),
      alone = frequencyTexts(own),
      { value, range } = frequencyTexts(smoothed);
    return {
      round,
      differs: key.differs[place],
      share: 100 * own.frequency,
      least: 100 * own.frequency_low,
      most: 100 * own.frequency_high,
      smoothed: 100 * smoothed.frequency,
      low: 100 * smoothed.frequency_low,
      high: 100 * smoothed.frequency_high,
      words: `Round ${count(round)}, from ${opens} on, ${count(reports)} reports: ${value} (${range}) smoothed, ${alone.value} (${alone.range}) by itself`,
    };
  });
}

// Rounds without reports keep their place. The rounds between which a key changed are shaded.
function specification(key, rounds, changes) {
  const ticks = { title: null, grid: false, format: "d", tickMinStep: 1, tickCount: 6 },
    x = {
      field: "round",
      type: "quantitative",
      axis: ticks,
      scale: { nice: false, zero: false, padding: 8 },
    };
  const percent = { title: null, tickCount: 4, labelExpr: "datum.label + ' %'" },
    y = (field) => ({ field, type: "quantitative", axis: percent, scale: { zero: false } });
  const band = rounds.length > 1 ? { type: "area" } : { type: "rule", strokeWidth: LONE_WIDTH };
  // The description says what is shaded.
  const shaded = {
    data: { values: changes },
    mark: { type: "rect", color: CHANGED, opacity: 0.16, aria: false },
    encoding: { x: { ...x, field: "before_first" }, x2: { field: "after_last" } },
  };
  const points = pointsOf(key, rounds),
    alone = points.filter(({ differs }) => differs);
  const bars = {
    data: { values: alone },
    mark: { type: "rule", color: COLOUR, opacity: 0.5, aria: false },
    encoding: { x, y: y("least"), y2: { field: "most" } },
  };
  const layer = [
    ...(changes.length ? [shaded] : []),
    { mark: { ...band, color: COLOUR, opacity: 0.22 }, encoding: { x, y: y("low"), y2: { field: "high" } } },
    { mark: { type: "line", color: COLOUR }, encoding: { x, y: y("smoothed") } },
    ...(alone.length ? [bars] : []),
    {
      mark: { type: "point", filled: true, color: COLOUR, size: 20 },
      encoding: { x, y: y("share"), tooltip: { field: "words" } },
    },
  ];
  return { hconcat: [{ height: HEIGHT, data: { values: points }, layer }] };
}
