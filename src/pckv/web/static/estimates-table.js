// Estimates as a table: the server searches, sorts and pages; the browser holds only the rows it shows.
import { alertBox, announce, count, field, make, newestOnly, query, replace, request, debounced } from "./page.js";

const ROWS_PER_PAGE = 25;
// Header, the server's name for the sort, and whether the largest come first.
const COLUMNS = [
  { name: "Key", sort: "key" },
  { name: "Frequency", sort: "frequency", descending: true },
  { name: "Interval" },
  { name: "Mean", sort: "mean", descending: true },
  { name: "Interval" },
  { name: "" },
];

export class EstimatesTable {
  // `onanswer` is called with every answer, which says more than its rows.
  constructor(path, settings, onanswer) {
    Object.assign(this, { path, settings, onanswer, sort: "-frequency", search: "", offset: 0, total: 0 });
    const search = make("input", {
      type: "search",
      autocomplete: "off",
      maxlength: 256,
      oninput: debounced(() => this.find(search.value), 150),
    });
    this.head = make("tr");
    this.body = make("tbody");
    this.position = make("span");
    this.problem = make("div");
    this.previous = make("button", { type: "button", onclick: () => this.move(-ROWS_PER_PAGE) }, "Previous");
    this.next = make("button", { type: "button", onclick: () => this.move(ROWS_PER_PAGE) }, "Next");
    this.element = make(
      "div",
      { class: "estimates" },
      field("Search keys", search),
      this.problem,
      make(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of estimates" },
        make("table", {}, make("thead", {}, this.head), this.body),
      ),
      make("div", { class: "pager" }, this.previous, this.position, this.next),
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
    const first = column.descending ? `-${column.sort}` : column.sort,
      second = column.descending ? column.sort : first;
    Object.assign(this, { sort: this.sort === first ? second : first, offset: 0 });
    return this.refresh(true);
  }

  // `say`: tell screen readers, since somebody asked for the change.
  refresh = newestOnly(async (signal, say = false) => {
    const { search, sort, offset } = this;
    const parameters = query({ ...this.settings, search, sort, offset, limit: ROWS_PER_PAGE });
    try {
      const answer = await request("GET", `${this.path}/estimates?${parameters}`, { signal });
      this.total = Number(answer.headers.get("X-Total-Count"));
      const content = await answer.json();
      this.show(content.estimates);
      this.onanswer(content);
      replace(this.problem);
      if (say) announce(this.position.textContent);
    } catch (error) {
      if (!signal.aborted) replace(this.problem, alertBox(error.message));
    }
  });

  stop() {
    this.refresh.stop();
  }

  show(rows) {
    replace(this.head, ...COLUMNS.map((column) => this.header(column)));
    replace(this.body, ...rows.map(row));
    const last = this.offset + rows.length;
    this.position.textContent = rows.length
      ? `${count(this.offset + 1)} – ${count(last)} of ${count(this.total)} keys`
      : "no such keys";
    this.previous.disabled = this.offset === 0;
    this.next.disabled = last >= this.total;
  }

  header(column) {
    const sorted = this.sort.replace("-", "") === column.sort;
    const ascending = !this.sort.startsWith("-");
    const label = column.sort
      ? make(
          "button",
          { type: "button", class: "plain", onclick: () => this.order(column).then(() => this.focus(column)) },
          column.name,
          make("span", { "aria-hidden": "true" }, sorted ? (ascending ? " ▲" : " ▼") : ""),
        )
      : column.name;
    // The last column says what is to be said of a key, if anything: its cells need no header.
    if (!column.name) return make("td");
    const attributes = { scope: "col", class: column.sort === "key" ? null : "number" };
    if (sorted) attributes["aria-sort"] = ascending ? "ascending" : "descending";
    return make("th", attributes, label);
  }

  // The header that had the focus was replaced.
  focus(column) {
    this.head.children[COLUMNS.indexOf(column)].querySelector("button").focus();
  }
}

// Rounded as `pckv estimate` prints them; the title has all digits.
function row({ key, frequency, frequency_low, frequency_high, mean, mean_low, mean_high, mean_known, detected }) {
  const cell = (text, ...numbers) => make("td", { class: "number", title: numbers.join(" – ") }, text);
  return make(
    "tr",
    { class: detected ? null : "soft" },
    make("th", { scope: "row", class: "key" }, key),
    cell(frequency.toFixed(4), frequency),
    cell(`${frequency_low.toFixed(4)} – ${frequency_high.toFixed(4)}`, frequency_low, frequency_high),
    cell(mean_known ? mean.toFixed(3) : "unknown", mean),
    cell(`${mean_low.toFixed(3)} – ${mean_high.toFixed(3)}`, mean_low, mean_high),
    make("td", {}, detected ? "" : "too rare to tell"),
  );
}
