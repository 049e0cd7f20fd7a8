// The trend of all keys as a table that is searched, sorted and paged in the browser, which holds the whole of it.
import { announce, count, debounced, field, make, plural, replace } from "../shared/page.js";
import { TOO_RARE, UNKNOWN, UNLISTED, changeTexts, frequencyTexts, meanTexts } from "../shared/ranges.js";
import { smoothedOf } from "./trend-chart.js";

const ROWS_PER_PAGE = 25;
const MOVED = "moved";

// By which numbers each column sorts; the largest come first, and the second number decides among equals.
const SORTS = {
  [MOVED]: ({ change, pooled }) =>
    change ? [-change.p_value, Math.abs(change.change)] : [pooled.frequency, 0],
  smoothed: ({ key }) => [key.smoothed.at(-1), 0],
  pooled: ({ pooled }) => [pooled.frequency, 0],
  mean: ({ pooled }) => [Number(pooled.mean_known), pooled.mean],
};

// Sorting is stable: keys that are equal stay in the order of the task.
function sortedBy(rows, numbers) {
  const keyed = rows.map((row) => [row, ...numbers(row)]);
  return keyed.sort(([, ...one], [, ...other]) => other[0] - one[0] || other[1] - one[1]).map(([row]) => row);
}

export class TrendTable {
  // `onsearch` gets what somebody searches for, `onrows` the trend and the rows that are shown.
  constructor({ search, onsearch, onrows }) {
    Object.assign(this, { search, onsearch, onrows, sort: MOVED, offset: 0, trend: null });
    const box = make("input", {
      type: "search",
      autocomplete: "off",
      maxlength: 256,
      value: search,
      oninput: debounced(() => this.find(box.value), 150),
    });
    this.head = make("tr");
    this.body = make("tbody");
    this.position = make("span");
    this.previous = make("button", { type: "button", onclick: () => this.move(-ROWS_PER_PAGE) }, "Previous");
    this.next = make("button", { type: "button", onclick: () => this.move(ROWS_PER_PAGE) }, "Next");
    this.element = make(
      "div",
      { class: "estimates trend-table" },
      field("Search keys", box),
      make(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of keys" },
        make("table", {}, make("thead", {}, this.head), this.body),
      ),
      make("div", { class: "pager" }, this.previous, this.position, this.next),
    );
  }

  show(trend, unit) {
    this.trend = trend;
    const { rounds, panels, changes, keys, pooled } = trend,
      last = rounds.at(-1).round,
      together = rounds.filter(({ round }) => round > last - panels);
    this.columns = [
      { name: "Key" },
      { name: `Round ${count(last)}, smoothed`, sort: "smoothed" },
      ...(changes ? [{ name: `Change since round ${count(changes.before)}`, sort: MOVED }] : []),
      {
        name:
          together.length > 1
            ? `Rounds ${count(together[0].round)} to ${count(last)} pooled`
            : `Round ${count(last)} alone`,
        sort: "pooled",
      },
      { name: unit ? `Mean of those, in ${unit}` : "Mean of those", sort: "mean" },
    ];
    this.rows = keys.map((key, place) => ({
      key,
      pooled: pooled.estimates[place],
      change: changes?.keys[place] ?? null,
    }));
    this.refresh();
  }

  find(text) {
    Object.assign(this, { search: text, offset: 0 });
    this.onsearch(text);
    this.refresh(true);
  }

  move(rows) {
    this.offset = Math.max(0, this.offset + rows);
    this.refresh(true);
  }

  order(column) {
    Object.assign(this, { sort: column.sort, offset: 0 });
    this.refresh(true);
    this.head.children[this.columns.indexOf(column)].querySelector("button").focus();
  }

  // `say`: tell screen readers, since somebody asked for the change.
  refresh(say = false) {
    if (!this.trend) return;
    const wanted = this.search.toLowerCase(),
      found = this.rows.filter(({ key }) => key.key.toLowerCase().includes(wanted)),
      shown = sortedBy(found, SORTS[this.sort]).slice(this.offset, this.offset + ROWS_PER_PAGE),
      last = this.offset + shown.length;
    replace(this.head, ...this.columns.map((column) => this.header(column)));
    replace(this.body, ...shown.map((row) => this.row(row)));
    this.position.textContent = shown.length
      ? `${count(this.offset + 1)} – ${count(last)} of ${plural(found.length, "key")}`
      : "no such keys";
    this.previous.disabled = this.offset === 0;
    this.next.disabled = last >= found.length;
    this.onrows(this.trend, shown);
    if (say) announce(this.position.textContent);
  }

  header(column) {
    if (!column.sort) return make("th", { scope: "col" }, column.name);
    const sorted = this.sort === column.sort;
    const button = make(
      "button",
      { type: "button", class: "plain", onclick: () => this.order(column) },
      column.name,
      make("span", { "aria-hidden": "true" }, sorted ? " ▼" : ""),
    );
    return make("th", { scope: "col", class: "number", "aria-sort": sorted ? "descending" : null }, button);
  }

  // Perhaps nobody holds a key that is too rare to tell, whatever its own range says. The titles have all digits.
  row({ key, pooled, change }) {
    const smoothed = smoothedOf(key, key.smoothed.length - 1),
      now = frequencyTexts(smoothed),
      share = frequencyTexts(pooled),
      mean = meanTexts(pooled),
      names = this.columns.slice(1).map(({ name }) => name);
    const cells = [
      [limits(smoothed, "frequency"), now.value, smoothed.frequency_low > 0 ? now.range : now.most],
      ...(change
        ? [[limits(change, "change"), changeTexts(change).value, changeTexts(change).range, flag(change)]]
        : []),
      [
        limits(pooled, "frequency"),
        ...(pooled.detected ? [share.value, share.range] : [TOO_RARE, share.most]),
      ],
      [limits(pooled, "mean"), pooled.mean_known ? mean.value : UNKNOWN, mean.range],
    ];
    return make(
      "tr",
      { class: pooled.detected ? null : "soft" },
      make(
        "th",
        { scope: "row", class: "key" },
        key.key,
        key.key === this.trend.pooled.other ? make("small", {}, ` (${UNLISTED})`) : null,
      ),
      ...cells.map((texts, place) => cell(names[place], ...texts)),
    );
  }
}

const flag = (change) => (change.changed ? make("span", { class: "badge changed" }, "changed") : null);

const limits = (numbers, name) => [numbers[name], numbers[`${name}_low`], numbers[`${name}_high`]];

// On a narrow screen each number stands in a line of its own, below the key.
const cell = (name, numbers, value, range, mark = null) =>
  make(
    "td",
    { class: "number", title: numbers.join(" – "), "data-label": name },
    make("span", {}, value),
    " ",
    make("small", {}, `(${range})`),
    " ",
    mark,
  );
