// What people say, not only on average: shares of the levels among a key's holders, as bars and a table.
import { make, newestOnly, plural, replace } from "../shared/page.js";
import { levelTexts, shareTexts, TOO_RARE, UNKNOWN } from "../shared/ranges.js";
import { ranged, Table } from "../shared/table.js";

const KEYS_SHOWN = 20;
// A share whose range is at least this wide is unknown.
const UNKNOWN_WIDTH = 0.95;

// The shares of the levels of keys: one bar per key, with a part per level, as wide as its share.
export function sharesSpecification(estimates, texts, unit) {
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
      title: unit ? `Value, in ${unit}` : "Value",
      scale: { domain: texts, scheme: "viridis" },
    },
    order: { field: "level" },
    tooltip: { field: "words" },
  };
  return { hconcat: [{ height: { step: 26 }, data: { values }, layer: [{ mark: "bar", encoding }] }] };
}

// A share with its range, and in words where it may be anything.
export function levelShare(share) {
  const { value, range } = shareTexts(share);
  return ranged(share.high - share.low < UNKNOWN_WIDTH ? value : UNKNOWN, range);
}

// The shares of keys with their ranges, a row per key; `nameOf` makes what stands for a key.
export function tableOfShares(estimates, texts, nameOf) {
  const columns = [{ name: "Key" }, ...texts.map((name) => ({ name, number: true }))],
    row = ({ key, shares }) => [nameOf(key), ...shares.map(levelShare)];
  return new Table({ columns, row, kind: "compact", label: "Table of shares" }).show(estimates).element;
}

// The table behind the bars of the chart: it is fetched once it is opened.
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
