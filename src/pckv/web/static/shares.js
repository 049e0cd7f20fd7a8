// What people say, not only on average: the shares of the levels among those who hold a key, as bars and as a table.
import { ask, make, newestOnly, plural, query, replace } from "./page.js";
import { levelTexts, shareTexts, TOO_RARE, UNKNOWN } from "./ranges.js";

const KEYS_SHOWN = 20;
// A narrower part of a bar has no room for its number.
const MIN_LABELLED = 0.12;
// From low to high in one direction of lightness: they can be told apart without colours, and on a light and a dark ground.
const COLOURS = ["#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#a0da39"].map((colour) =>
  [1, 3, 5].map((place) => parseInt(colour.slice(place, place + 2), 16)),
);

// The colour of one of several levels, as red, green and blue.
function colourOf(level, levels) {
  const place = ((COLOURS.length - 1) * level) / (levels - 1),
    first = Math.min(Math.floor(place), COLOURS.length - 2);
  return COLOURS[first].map((part, index) => Math.round(part + (place - first) * (COLOURS[first + 1][index] - part)));
}

const linear = (part) => (part <= 10 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4);

// Black or white, whichever has more contrast to a colour.
function inkOn([red, green, blue]) {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue) > 0.179 ? "#000000" : "#ffffff";
}

function coloured(element, level, levels) {
  const colour = colourOf(level, levels);
  element.style.backgroundColor = `rgb(${colour.join(" ")})`;
  element.style.color = inkOn(colour);
  return element;
}

export const swatch = (level, levels) => coloured(make("span", { class: "swatch", "aria-hidden": "true" }), level, levels);

// Which colour stands for which level.
export const legend = (texts, unit) =>
  make(
    "ul",
    { class: "legend", "aria-label": unit ? `Values, in ${unit}` : "Values" },
    ...texts.map((text, level) => make("li", {}, swatch(level, texts.length), text)),
  );

// Whether something is known of what the holders of a key say.
export const isKnown = ({ detected, mean_known: known, shares }) => Boolean(detected && known && shares);

// One bar for all holders of a key: a part per level, as wide as its share.
export function stack({ shares }, texts) {
  const said = shares.map(shareTexts);
  const parts = shares.map(({ share }, level) => {
    const { value, range } = said[level],
      part = make("span", { title: `${texts[level]}: ${value} (${range})` }, share >= MIN_LABELLED ? value : "");
    part.style.flexGrow = share;
    return coloured(part, level, shares.length);
  });
  const label = said.map(({ value }, level) => `${texts[level]}: ${value}`).join(", ");
  return make("div", { class: "stack", role: "img", "aria-label": label }, ...parts);
}

// `address` gives that of a key's page.
export function sharesSection({ path, task, address }) {
  const texts = levelTexts(task.level_values),
    { unit } = task.about,
    rows = make("div", { class: "stacks" }),
    table = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of shares" });
  const element = make(
    "figure",
    { class: "shares" },
    make("h3", {}, "What those who hold a key say"),
    legend(texts, unit),
    rows,
    make("figcaption"),
    make("details", {}, make("summary", {}, "These shares as a table, with their ranges"), table),
  );

  // Resolves once the shares of the most frequent keys are shown; whoever calls tells what went wrong.
  const refresh = newestOnly(async (signal, options) => {
    const { estimates } = await ask("GET", `${path}/estimates?${query({ ...options, top: KEYS_SHOWN })}`, { signal });
    const known = estimates.filter(isKnown),
      left = estimates.filter((estimate) => !isKnown(estimate));
    replace(rows, ...known.map((estimate) => row(estimate)));
    replace(table, tableOf(known));
    element.querySelector("figcaption").textContent = caption(known.length, left);
    element.querySelector("details").hidden = !known.length;
  });

  const link = (key) => make("a", { href: address(key) }, key);

  const row = (estimate) => make("div", {}, make("div", { class: "name" }, link(estimate.key)), stack(estimate, texts));

  function tableOf(known) {
    const header = (text) => make("th", { scope: "col", class: "number" }, text);
    const cell = (share) => {
      const { value, range } = shareTexts(share);
      return make("td", { class: "number" }, value, " ", make("small", {}, `(${range})`));
    };
    return make(
      "table",
      { class: "compact" },
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Key"), ...texts.map(header))),
      make("tbody", {}, ...known.map(({ key, shares }) => make("tr", {}, make("th", { scope: "row" }, link(key)), ...shares.map(cell)))),
    );
  }

  return { element, refresh, stop: () => refresh.stop() };
}

function caption(known, left) {
  const rare = left.filter(({ detected }) => !detected).length,
    unknown = left.length - rare,
    parts = [unknown ? `of ${plural(unknown, "key")} that is ${UNKNOWN}` : "", rare ? `${plural(rare, "key")} ${rare === 1 ? "is" : "are"} ${TOO_RARE}` : ""];
  const not = parts.filter(Boolean).join(", and ");
  return `${known ? `The ${known === 1 ? "most frequent key" : `${known} most frequent keys`} of which that is known.` : "Nothing is known as yet."}${not ? ` ${not.charAt(0).toUpperCase()}${not.slice(1)}.` : ""}`;
}
