// What people say, not only on average: the shares of the levels among those who hold a key, as bars and as a table.
import { make, newestOnly, plural, replace } from "../shared/page.js";
import { levelTexts, shareTexts, TOO_RARE, UNKNOWN } from "../shared/ranges.js";

const KEYS_SHOWN = 20;
// A share whose range is at least this wide is unknown.
const UNKNOWN_WIDTH = 0.95;
// A narrower part of a bar has no room for its number.
const MIN_LABELLED = 0.12;
// The colours that charts have between, from low to high, each lighter than the one before.
const COLOURS = ["#440154", "#443983", "#31688e", "#21918c", "#35b779", "#90d743", "#fde725"].map((colour) =>
  [1, 3, 5].map((place) => parseInt(colour.slice(place, place + 2), 16)),
);

// The colour of one of several levels, as red, green and blue.
function colourOf(level, levels) {
  const place = ((COLOURS.length - 1) * (level + 1)) / (levels + 1),
    first = Math.floor(place);
  return COLOURS[first].map((part, index) =>
    Math.round(part + (place - first) * (COLOURS[first + 1][index] - part)),
  );
}

const linear = (part) => (part <= 10 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4);

// Black or white, whichever has more contrast to a colour.
function inkOn([red, green, blue]) {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue) > 0.179
    ? "#000000"
    : "#ffffff";
}

function coloured(element, level, levels) {
  const colour = colourOf(level, levels);
  element.style.backgroundColor = `rgb(${colour.join(" ")})`;
  element.style.color = inkOn(colour);
  return element;
}

// Which colour stands for which level.
export const legend = (texts, unit) =>
  make(
    "ul",
    { class: "legend", "aria-label": unit ? `Values, in ${unit}` : "Values" },
    ...texts.map((text, level) =>
      make(
        "li",
        {},
        coloured(make("span", { class: "swatch", "aria-hidden": "true" }), level, texts.length),
        text,
      ),
    ),
  );

// One bar for all holders of a key: a part per level, as wide as its share.
export function stack({ shares }, texts) {
  const said = shares.map(shareTexts);
  const parts = shares.map(({ share }, level) => {
    const { value, range } = said[level],
      part = make(
        "span",
        { title: `${texts[level]}: ${value} (${range})` },
        share >= MIN_LABELLED ? value : "",
      );
    part.style.flexGrow = share;
    return coloured(part, level, shares.length);
  });
  const label = said.map(({ value }, level) => `${texts[level]}: ${value}`).join(", ");
  return make("div", { class: "stack", role: "img", "aria-label": label }, ...parts);
}

// A share with its range, and in words where it may be anything.
export function shareCell(share) {
  const { value, range } = shareTexts(share),
    known = share.high - share.low < UNKNOWN_WIDTH;
  return make("td", { class: "number" }, known ? value : UNKNOWN, " ", make("small", {}, `(${range})`));
}

// The shares of keys with their ranges, a row per key; `nameOf` makes what stands for a key.
export function tableOfShares(estimates, texts, nameOf) {
  const header = (text) => make("th", { scope: "col", class: "number" }, text),
    row = ({ key, shares }) =>
      make("tr", {}, make("th", { scope: "row" }, nameOf(key)), ...shares.map(shareCell));
  return make(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of shares" },
    make(
      "table",
      { class: "compact" },
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Key"), ...texts.map(header))),
      make("tbody", {}, ...estimates.map(row)),
    ),
  );
}

// The table behind the bars of the chart: it is asked for once somebody opens it.
export function sharesTable({ requests, task, address }) {
  const texts = levelTexts(task.level_values),
    { unit } = task.about,
    link = (key) => (address ? make("a", { href: address(key) }, key) : key),
    place = make("div"),
    said = make("p", { class: "soft" });
  let wanted;
  const element = make(
    "details",
    { class: "shares", ontoggle: () => element.open && wanted && refresh(wanted).catch(() => {}) },
    make("summary", {}, `Shares of the values${unit ? `, in ${unit}` : ""}, as a table`),
    place,
    said,
  );

  const refresh = newestOnly(async (signal, options) => {
    wanted = options;
    if (!element.open) return;
    const answer = await requests.ask("estimates", { ...options, top: KEYS_SHOWN }, { signal }),
      estimates = answer.estimates.filter(({ key }) => key !== task.other),
      known = estimates.filter(({ detected }) => detected),
      rare = estimates.length - known.length;
    replace(place, known.length ? tableOfShares(known, texts, link) : null);
    said.textContent = `Of those who hold a key, for the ${plural(estimates.length, "most frequent key")}.${rare ? ` ${plural(rare, "key")} of these ${rare === 1 ? "is" : "are"} ${TOO_RARE}.` : ""}`;
  });

  return { element, refresh, stop: () => refresh.stop() };
}
