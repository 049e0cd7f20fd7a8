// Estimates as a table: the server searches, sorts and pages; the page holds what it shows.
import { alertBox, announce, count, field, make, newestOnly, query, replace, request, settled } from "./page.js";

const ROWS = 25;
// What the rows are of each kind of task, how they are sorted at first, and the columns: a header's name, the sort
// of the server, and whether the largest come first. The sizes of a bucket are its name.
const KINDS = {
  pairs: {
    rows: "keys",
    sort: "-frequency",
    columns: [
      { name: "Key", sort: "key" },
      { name: "Frequency", sort: "frequency", falls: true },
      { name: "Interval" },
      { name: "Mean", sort: "mean", falls: true },
      { name: "Interval" },
    ],
  },
  sizes: {
    rows: "buckets",
    sort: "key",
    columns: [
      { name: "Pairs", sort: "key" },
      { name: "Share of people", sort: "frequency", falls: true },
      { name: "Interval" },
    ],
  },
};

export class EstimatesTable {
  constructor(path, settings, kind) {
    Object.assign(this, { path, settings, ...KINDS[kind], search: "", offset: 0, total: 0 });
    const search = make("input", {
      type: "search",
      autocomplete: "off",
      maxlength: 256,
      oninput: settled(() => this.find(search.value), 150),
    });
    this.head = make("tr");
    this.body = make("tbody");
    this.place = make("span");
    this.said = make("div");
    this.back = make("button", { type: "button", onclick: () => this.move(-ROWS) }, "Previous");
    this.forth = make("button", { type: "button", onclick: () => this.move(ROWS) }, "Next");
    this.element = make(
      "div",
      { class: "estimates" },
      // Buckets are few.
      kind === "pairs" ? field("Search keys", search) : null,
      this.said,
      make(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of estimates" },
        make("table", {}, make("thead", {}, this.head), this.body),
      ),
      make("div", { class: "pager" }, this.back, this.place, this.forth),
    );
  }

  find(text) {
    Object.assign(this, { search: text, offset: 0 });
    return this.refresh(true);
  }

  move(rows) {
    this.offset = Math.max(0, this.offset + rows);
    return this.refresh(true);
  }

  order(column) {
    const first = column.falls ? `-${column.sort}` : column.sort,
      other = column.falls ? column.sort : null;
    Object.assign(this, { sort: this.sort === first && other ? other : first, offset: 0 });
    return this.refresh(true);
  }

  // `say`: whether somebody asked for it, who may not see the change.
  refresh = newestOnly(async (signal, say = false) => {
    const { search, sort, offset } = this;
    const wanted = query({ ...this.settings, search, sort, offset, limit: ROWS });
    try {
      const answer = await request("GET", `${this.path}/estimates?${wanted}`, { signal });
      this.total = Number(answer.headers.get("X-Total-Count"));
      this.show((await answer.json()).estimates);
      replace(this.said);
      if (say) announce(this.place.textContent);
    } catch (error) {
      if (!signal.aborted) replace(this.said, alertBox(error.message));
    }
  });

  stop() {
    this.refresh.stop();
  }

  show(rows) {
    replace(this.head, ...this.columns.map((column) => this.header(column)));
    replace(this.body, ...rows.map((estimate) => row(estimate, this.columns.length)));
    const last = this.offset + rows.length;
    this.place.textContent = rows.length
      ? `${count(this.offset + 1)} – ${count(last)} of ${count(this.total)} ${this.rows}`
      : `no such ${this.rows}`;
    this.back.disabled = this.offset === 0;
    this.forth.disabled = last >= this.total;
  }

  header(column) {
    const sorted = this.sort.replace("-", "") === column.sort;
    const up = !this.sort.startsWith("-");
    const label = column.sort
      ? make(
          "button",
          { type: "button", class: "plain", onclick: () => this.order(column).then(() => this.focus(column)) },
          column.name,
          make("span", { "aria-hidden": "true" }, sorted ? (up ? " ▲" : " ▼") : ""),
        )
      : column.name;
    const attributes = { scope: "col", class: column.sort === "key" ? null : "number" };
    if (sorted) attributes["aria-sort"] = up ? "ascending" : "descending";
    return make("th", attributes, label);
  }

  // The header was made anew under the finger.
  focus(column) {
    this.head.children[this.columns.indexOf(column)].querySelector("button").focus();
  }
}

// The digits are those that `pckv estimate` prints; the whole numbers are in the title.
function row(estimate, columns) {
  const { key, frequency, frequency_low, frequency_high, mean, mean_low, mean_high } = estimate;
  const cell = (text, ...numbers) => make("td", { class: "number", title: numbers.join(" – ") }, text);
  const cells = [
    make("th", { scope: "row", class: "key" }, key),
    cell(frequency.toFixed(4), frequency),
    cell(`${frequency_low.toFixed(4)} – ${frequency_high.toFixed(4)}`, frequency_low, frequency_high),
    cell(mean.toFixed(3), mean),
    cell(`${mean_low.toFixed(3)} – ${mean_high.toFixed(3)}`, mean_low, mean_high),
  ];
  return make("tr", {}, ...cells.slice(0, columns));
}
