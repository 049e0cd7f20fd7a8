// The share of a key over the rounds: the smoothed line in its band, and single rounds as points.
import { count, make } from "../shared/page.js";
import { changeTexts, frequencyTexts } from "../shared/ranges.js";
import { drawn } from "../shared/svg.js";

const WIDTH = 300,
  HEIGHT = 150;
const LEFT = 40,
  RIGHT = 8,
  TOP = 8,
  BOTTOM = 22;
const STEPS = 4;
// How far the band of a single round reaches to either side of it.
const LONE_WIDTH = 6;

// The smoothed share of a key in a round, as `frequencyTexts` takes it.
export const smoothedOf = (key, place) => ({
  frequency: key.smoothed[place],
  frequency_low: key.smoothed_low[place],
  frequency_high: key.smoothed_high[place],
});

// `key` has one number per round in every column; `change` is null as long as there is nothing to compare with.
export function trendChart(key, rounds, change) {
  const last = smoothedOf(key, rounds.length - 1),
    now = frequencyTexts(last);
  const label = `${key.key}: ${now.value} (${now.range}) in round ${count(rounds.at(-1).round)}, after ${frequencyTexts(smoothedOf(key, 0)).value} in round ${count(rounds[0].round)}.`;
  return make(
    "figure",
    { class: "trend" },
    make("figcaption", {}, make("strong", {}, key.key), " ", changedBadge(change)),
    drawn(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label },
      ...picture(key, rounds),
    ),
  );
}

// A flag with the change; a change that noise may explain has none.
export function changedBadge(change) {
  if (!change?.changed) return null;
  return make("span", { class: "badge changed" }, changeTexts(change).value);
}

function picture(key, rounds) {
  const share = vertical(key),
    place = horizontal(rounds),
    at = (column) => rounds.map(({ round }, number) => [place.of(round), share.of(key[column][number])]);
  const high = at("smoothed_high"),
    low = at("smoothed_low");
  return [
    ...share.ticks.flatMap((tick) => horizontalTick(share.of(tick), share.text(tick))),
    ...place.ticks.map((round) =>
      drawn("text", { x: place.of(round), y: HEIGHT - 6, "text-anchor": "middle" }, count(round)),
    ),
    drawn("polygon", { class: "band", points: text(outline(high, low)) }),
    drawn("polyline", { class: "line", points: text(at("smoothed")) }),
    ...at("frequency").map(([cx, cy], number) => point(cx, cy, key, rounds, number)),
  ];
}

const text = (points) => points.map((point) => point.map((number) => number.toFixed(1)).join(",")).join(" ");

// The upper limits from left to right and the lower ones back; one round alone gets a width.
function outline(high, low) {
  if (high.length > 1) return [...high, ...low.toReversed()];
  const [[x, top]] = high,
    [[, bottom]] = low;
  return [
    [x - LONE_WIDTH, top],
    [x + LONE_WIDTH, top],
    [x + LONE_WIDTH, bottom],
    [x - LONE_WIDTH, bottom],
  ];
}

function horizontalTick(y, words) {
  return [
    drawn("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y }),
    drawn("text", { x: LEFT - 5, y: y + 3.5, "text-anchor": "end" }, words),
  ];
}

function point(cx, cy, key, rounds, number) {
  const { round, opens, reports } = rounds[number],
    alone = frequencyTexts({
      frequency: key.frequency[number],
      frequency_low: key.frequency_low[number],
      frequency_high: key.frequency_high[number],
    }),
    smoothed = frequencyTexts(smoothedOf(key, number));
  const words = `Round ${count(round)}, from ${opens} on, ${count(reports)} reports: ${smoothed.value} (${smoothed.range}) smoothed, ${alone.value} (${alone.range}) by itself`;
  return drawn("circle", { cx: cx.toFixed(1), cy: cy.toFixed(1), r: 2.5 }, drawn("title", {}, words));
}

// The scale of shares, in round numbers.
function vertical(key) {
  const most = Math.max(...key.smoothed_high, ...key.frequency),
    least = Math.min(...key.smoothed_low, ...key.frequency),
    step = roundStep(100 * Math.max(most - least, 1e-4)),
    bottom = Math.floor((100 * least) / step + 1e-9),
    top = Math.max(bottom + 1, Math.ceil((100 * most) / step - 1e-9)),
    ticks = Array.from({ length: top - bottom + 1 }, (_, number) => ((bottom + number) * step) / 100);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)),
    inside = HEIGHT - TOP - BOTTOM;
  return {
    ticks,
    of: (value) => TOP + inside * (1 - (100 * value - bottom * step) / ((top - bottom) * step)),
    text: (tick) => `${(100 * tick).toFixed(decimals)} %`,
  };
}

// 1, 2 or 5 times a power of ten, such that there are about as many steps as fit.
function roundStep(span) {
  const rough = span / STEPS,
    power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((times) => times * power >= rough);
}

// Rounds without reports keep their place.
function horizontal(rounds) {
  const first = rounds[0].round,
    last = rounds.at(-1).round,
    inside = WIDTH - LEFT - RIGHT - 12;
  const step = Math.max(1, Math.ceil((last - first) / 6)),
    ticks = [];
  for (let round = last; round >= first; round -= step) ticks.push(round);
  return {
    ticks,
    of: (round) => LEFT + 6 + inside * (last > first ? (round - first) / (last - first) : 0.5),
  };
}
