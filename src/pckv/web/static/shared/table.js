// Tables: one component for all of them, plain or searched, sorted and paged.
import { announce, count, debounced, field, make, newestOnly, replace } from "./page.js";
import { shownText } from "./direction.js";
import { allDigits, t } from "./language.js";

export const ROWS_PER_PAGE = 25;
const SVG = "http://www.w3.org/2000/svg";

// A name that people gave; nothing for none.
export const named = (name) => make("bdi", {}, name && shownText(name));

// A text with elements in its {holes}.
export function parted(text, elements) {
  return text.split(/\{(\w+)\}/).map((part, place) => (place % 2 ? elements[part] : part));
}

// The content of a cell: a value with its range. The title has all digits of the `numbers`.
export function ranged(value, range, numbers, mark = null) {
  const [number, low, high] = (numbers ?? []).map(allDigits);
  return {
    content: [make("span", {}, value), " ", make("small", {}, `(${range})`), mark],
    title: numbers && t("{value}: {low} to {high}", { value: number, low, high }),
  };
}

// The content of a cell: an estimate as a bar, and its range as a line; `most` is the end of the scale.
export function rangeBar({ frequency, frequency_low: low, frequency_high: high }, most, detected = true) {
  const picture = document.createElementNS(SVG, "svg"),
    x = (share) => (100 * Math.max(0, share)) / most;
  const draw = (kind, left, right, y, height) => {
    const sizes = { class: kind, x: left, y, width: Math.max(0.5, right - left), height },
      rectangle = document.createElementNS(SVG, "rect");
    for (const [name, value] of Object.entries(sizes)) rectangle.setAttribute(name, value);
    picture.append(rectangle);
  };
  // The numbers stand beside it.
  const attributes = {
    viewBox: "0 0 100 12",
    preserveAspectRatio: "none",
    "aria-hidden": "true",
    class: "range-bar",
  };
  for (const [name, value] of Object.entries(attributes)) picture.setAttribute(name, value);
  if (detected) draw("estimate", 0, x(frequency), 2, 8);
  draw("range", x(low), x(high), 5, 2);
  return picture;
}

export class Table {
  // A column has a `name`, which may be `hidden` from sight or `shown` otherwise, and may say that it holds a `number`.
  // `row` returns the content of an item's cells, the first of which heads the row: a text, an element, a list of them,
  // or what `ranged` returns. `isSoft` tells which rows are grey. A table with a `label` scrolls by itself.
  constructor({ columns, row, isSoft = () => false, kind = null, label = null }) {
    Object.assign(this, { columns, row, isSoft, shown: "", headed: "" });
    this.head = make("tr");
    this.body = make("tbody");
    this.foot = make("tfoot");
    const table = make("table", { class: kind }, make("thead", {}, this.head), this.body, this.foot);
    const scroll = { class: "scroll", tabindex: "0", role: "region", "aria-label": label };
    this.element = label ? make("div", scroll, table) : table;
  }

  // Only what changed is replaced, and the focus stays at the link that had it. `row` gets the `context` too.
  show(items, ...context) {
    this.showHead();
    const text = JSON.stringify([this.headed, items, context]);
    if (text === this.shown) return this;
    this.shown = text;
    const { activeElement } = document,
      focused = this.body.contains(activeElement) ? activeElement.getAttribute("href") : null;
    replace(this.body, ...items.map((item) => this.rowOf(item, ...context)));
    if (focused) this.body.querySelector(`[href="${CSS.escape(focused)}"]`)?.focus();
    return this;
  }

  showHead() {
    const text = JSON.stringify([this.columns, this.sort]);
    if (text === this.headed) return;
    this.headed = text;
    replace(this.head, ...this.columns.map((column) => this.header(column)));
  }

  header({ name, shown = named(name), number = false, hidden = false }) {
    const content = hidden ? make("span", { class: "hidden-text" }, name) : shown;
    return make("th", { scope: "col", class: number ? "number" : null }, content);
  }

  // On a narrow screen, where some tables have no headers, every cell is labelled.
  rowOf(item, ...context) {
    const cells = this.row(item, ...context).map((cell, place) => {
      const { name, number, hidden } = this.columns[place],
        { content = [cell].flat(), title } = cell?.content ? cell : {};
      if (place === 0) return make("th", { scope: "row", class: "key" }, ...content);
      return make(
        "td",
        { class: number ? "number" : null, title, "data-label": hidden ? null : shownText(name) },
        ...content,
      );
    });
    return make("tr", { class: this.isSoft(item) ? "soft" : null }, ...cells);
  }
}

// A table of keys, one page at a time. A column with a `sort` can be sorted by, numbers from the largest on.
export class SearchTable extends Table {
  // `load` resolves to the `items` of a page and the `total` of all that are found, or to null if it failed.
  // A `sort` with a minus sign is from the largest on. `onsearch` gets the text of a search.
  constructor({ search, sort, onsearch, load, ...options }) {
    super(options);
    Object.assign(this, { search, sort, onsearch, load, offset: 0 });
    const box = make("input", {
      type: "search",
      autocomplete: "off",
      maxlength: 256,
      value: search,
      oninput: debounced(() => this.find(box.value), 150),
    });
    const turn = (rows) => () => this.change({ offset: Math.max(0, this.offset + rows) });
    this.position = make("span");
    this.previous = make("button", { type: "button", onclick: turn(-ROWS_PER_PAGE) }, t("Previous"));
    this.next = make("button", { type: "button", onclick: turn(ROWS_PER_PAGE) }, t("Next"));
    this.finder = field(t("Search"), box);
    this.pager = make("div", { class: "pager" }, this.previous, this.position, this.next);
    this.element = make("div", { class: "estimates" }, this.finder, this.element, this.pager);
  }

  find(search) {
    this.search = search;
    this.onsearch(search);
    return this.change({});
  }

  change(values) {
    Object.assign(this, { offset: 0, ...values });
    return this.refresh(true);
  }

  async order(column) {
    const first = column.number ? `-${column.sort}` : column.sort,
      second = column.number ? column.sort : `-${column.sort}`;
    await this.change({ sort: this.sort === first ? second : first });
    this.head.children[this.columns.indexOf(column)].querySelector("button").focus();
  }

  // Resolves to whether the page was loaded, or is no longer wanted.
  // `say`: tell screen readers, since the user asked for the change.
  refresh = newestOnly(async (signal, say = false) => {
    const { search, sort, offset } = this,
      page = await this.load({ search, sort, offset, limit: ROWS_PER_PAGE }, signal);
    if (signal.aborted) return true;
    if (!page) return false;
    this.show(page.items);
    const last = offset + page.items.length,
      position = { first: count(offset + 1), last: count(last), total: count(page.total) };
    // A table that fits on one page needs neither.
    this.finder.hidden = this.pager.hidden = !search && page.total <= ROWS_PER_PAGE;
    this.position.textContent = page.items.length ? t("{first} to {last} of {total}", position) : t("Nothing found.");
    this.previous.disabled = offset === 0;
    this.next.disabled = last >= page.total;
    if (say) announce(this.position.textContent);
    return true;
  });

  stop() {
    this.refresh.stop();
  }

  header(column) {
    if (!column.sort) return super.header(column);
    const sorted = this.sort.replace("-", "") === column.sort,
      descending = this.sort.startsWith("-");
    const button = make(
      "button",
      { type: "button", class: "plain", onclick: () => this.order(column) },
      shownText(column.name),
      make("span", { "aria-hidden": "true" }, sorted ? (descending ? " ▼" : " ▲") : ""),
    );
    const order = sorted ? (descending ? "descending" : "ascending") : null;
    return make("th", { scope: "col", class: column.number ? "number" : null, "aria-sort": order }, button);
  }
}

// The same of items with keys that the browser holds, in the order in which they come.
export class HeldTable extends SearchTable {
  constructor(options) {
    super({ search: "", sort: "", onsearch: () => {}, load: (page) => this.page(page), ...options });
    this.items = [];
  }

  hold(items) {
    this.items = items;
    if (this.offset >= items.length) this.offset = 0;
    this.refresh();
    return this;
  }

  page({ search, offset, limit }) {
    const wanted = search.toLowerCase(),
      found = this.items.filter(({ key }) => key.toLowerCase().includes(wanted));
    return { items: found.slice(offset, offset + limit), total: found.length };
  }
}
