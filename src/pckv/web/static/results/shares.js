// What people say, not only on average: shares of the levels among a key's holders, as bars and a table.
import { Chart } from "../shared/chart.js";
import { t } from "../shared/language.js";
import { make, plural, replace } from "../shared/page.js";
import { levelNames, shareTexts, UNKNOWN } from "../shared/ranges.js";
import { named, ranged, Table } from "../shared/table.js";

const KEYS_SHOWN = 20;
// A share whose range is at least this wide is unknown.
const UNKNOWN_WIDTH = 0.95;

// The lowest and the highest level: one hue, from light to dark, which no one takes for good and bad.
const [LIGHT, DARK] = [
    [201, 220, 243],
    [29, 70, 128],
  ],
  EDGE = "#5f6875";

function shades(number) {
  const part = (place) => (number > 1 ? place / (number - 1) : 1);
  return Array.from({ length: number }, (_, place) => {
    const mixed = LIGHT.map((light, channel) => Math.round(light + (DARK[channel] - light) * part(place)));
    return `rgb(${mixed.join(",")})`;
  });
}

export const spreadTitle = (unit) =>
  unit ? t("How the ratings are spread ({unit})", { unit }) : t("How the ratings are spread");

// Whether a bar shows how the holders of a key are spread, and not what may be anything.
export const isSpreadKnown = ({ shares }) => shares.every(({ low, high }) => high - low < UNKNOWN_WIDTH);

// The shares of the levels of keys: one bar per key, with a part per level, as wide as its share.
export function sharesSpecification(estimates, texts, unit = "") {
  const values = estimates.flatMap(({ key, shares }) =>
    shares.map((share, level) => {
      const { value, range } = shareTexts(share);
      return {
        key,
        level,
        value: texts[level],
        share: share.share,
        words: `${texts[level]}: ${value} (${range})`,
      };
    }),
  );
  const encoding = {
    y: { field: "key", type: "nominal", sort: null, title: null },
    x: { field: "share", type: "quantitative", stack: "normalize", title: null, axis: { format: "%" } },
    color: {
      field: "value",
      type: "ordinal",
      title: unit ? t("Value ({unit})", { unit }) : t("Value"),
      scale: { domain: texts, range: shades(texts.length) },
    },
    order: { field: "level" },
    tooltip: { field: "words" },
  };
  return {
    hconcat: [
      {
        height: { step: 26 },
        data: { values },
        layer: [{ mark: { type: "bar", stroke: EDGE, strokeWidth: 0.5 }, encoding }],
      },
    ],
  };
}

// A share with its range, and in words where it may be anything.
export function levelShare(share) {
  const { value, range } = shareTexts(share);
  return ranged(share.high - share.low < UNKNOWN_WIDTH ? value : UNKNOWN, range);
}

// The shares of keys with their ranges, a row per key; `nameOf` makes what stands for a key.
export function tableOfShares(estimates, texts, nameOf) {
  const columns = [{ name: t("Answer option") }, ...texts.map((name) => ({ name, number: true }))],
    row = ({ key, shares }) => [nameOf(key), ...shares.map(levelShare)];
  return new Table({ columns, row, kind: "compact", label: t("Table of shares") }).show(estimates).element;
}

// Bars and a table of what people say of the most frequent keys: drawn once they are opened.
export function sharesSection({ task, address }) {
  const texts = levelNames(task.level_values, task.about),
    { unit } = task.about,
    nameOf = (key) => (address ? make("a", { href: address(key) }, named(key)) : named(key)),
    chart = new Chart(t("Shares of the values among those who chose an answer; the table below has the same numbers.")),
    place = make("div"),
    said = make("p", { class: "soft" });
  const element = make(
    "details",
    { class: "shares" },
    make("summary", {}, spreadTitle(unit)),
    chart.element,
    place,
    said,
  );

  // `rows` are the first rows of the snapshot.
  function show(rows) {
    const estimates = rows.slice(0, KEYS_SHOWN),
      known = estimates.filter(({ detected }) => detected),
      rare = estimates.length - known.length;
    const drawn = known.filter(isSpreadKnown);
    chart.element.hidden = !drawn.length;
    if (drawn.length) chart.draw(sharesSpecification(drawn, texts, unit)).catch(() => {});
    replace(place, known.length ? tableOfShares(known, texts, nameOf) : null);
    said.textContent = rare
      ? t("Of those who chose an answer. Left out, since not distinguishable from noise: {options}.", {
          options: plural(rare, "answer option"),
        })
      : t("Of those who chose an answer.");
  }

  return { element, show, stop: () => chart.stop() };
}
