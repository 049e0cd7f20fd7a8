// Estimates as a table: the server searches, sorts and pages; the browser holds only the rows it shows.
import { announce, count, debounced, field, make, newestOnly, replace } from "../shared/page.js";
import { frequencyTexts, meanTexts, TOO_RARE, UNKNOWN, UNLISTED } from "../shared/ranges.js";

const ROWS_PER_PAGE = 25;

export class EstimatesTable {
  // `requests` sends them, and `options` say how to estimate. `address` gives that of a key's page, or null. `other` is the
  // key for all that are not listed, or null. `onanswer` gets every answer, `onproblem` what went wrong, or null, and
  // `onsearch` what somebody searches for.
  constructor({
    requests,
    options,
    unit,
    sort = "-frequency",
    search,
    address,
    other,
    onanswer,
    onproblem,
    onsearch,
  }) {
    Object.assign(this, { requests, options, address, other, onanswer, onproblem, onsearch, search, sort });
    Object.assign(this, { offset: 0, total: 0 });
    // Header, the server's name for the sort, and whether the largest come first.
    this.columns = [
      { name: "Key", sort: "key" },
      { name: "Share of people", sort: "frequency", descending: true },
      { name: unit ? `Mean, in ${unit}` : "Mean", sort: "mean", descending: true },
    ];
    const box = make("input", {
      type: "search",
      autocomplete: "off",
      maxlength: 256,
      value: search,
      oninput: debounced(() => this.find(box.value), 150),
    });
    this.head = make("tr");
    this.body = make("tbody");
    // The row of all others, whatever part of the table is shown.
    this.foot = make("tfoot");
    this.position = make("span");
    this.previous = make("button", { type: "button", onclick: () => this.move(-ROWS_PER_PAGE) }, "Previous");
    this.next = make("button", { type: "button", onclick: () => this.move(ROWS_PER_PAGE) }, "Next");
    this.element = make(
      "div",
      { class: "estimates" },
      field("Search keys", box),
      make(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of estimates" },
        make("table", {}, make("thead", {}, this.head), this.body, this.foot),
      ),
      make("div", { class: "pager" }, this.previous, this.position, this.next),
    );
  }

  find(text) {
    Object.assign(this, { search: text, offset: 0 });
    this.onsearch(text);
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

  // Resolves to whether the request was answered, or is no longer wanted.
  // `say`: tell screen readers, since somebody asked for the change.
  refresh = newestOnly(async (signal, say = false) => {
    const { search, sort, offset } = this;
    try {
      const answer = await this.requests.send(
        "estimates",
        { ...this.options, search, sort, offset, limit: ROWS_PER_PAGE },
        { signal },
      );
      this.total = Number(answer.headers.get("X-Total-Count"));
      const content = await answer.json();
      await this.showOther(signal);
      if (signal.aborted) return true;
      this.show(content.estimates.filter(({ key }) => key !== this.other));
      this.onanswer(content);
      this.onproblem(null);
      if (say) announce(this.position.textContent);
    } catch (error) {
      if (signal.aborted) return true;
      this.onproblem(error);
      return false;
    }
    return true;
  });

  // Those who hold keys that are not listed: they are no key among others.
  async showOther(signal) {
    if (this.other === null) return;
    const { estimates } = await this.requests.ask("estimates", this.options, { signal, keys: [this.other] });
    if (this.other.toLowerCase().includes(this.search.toLowerCase())) this.total -= 1;
    replace(this.foot, ...estimates.map((row) => this.row(row)));
  }

  stop() {
    this.refresh.stop();
  }

  show(rows) {
    replace(this.head, ...this.columns.map((column) => this.header(column)));
    replace(this.body, ...rows.map((row) => this.row(row)));
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
    const button = make(
      "button",
      { type: "button", class: "plain", onclick: () => this.order(column).then(() => this.focus(column)) },
      column.name,
      make("span", { "aria-hidden": "true" }, sorted ? (ascending ? " ▲" : " ▼") : ""),
    );
    const attributes = { scope: "col", class: column.sort === "key" ? null : "number" };
    if (sorted) attributes["aria-sort"] = ascending ? "ascending" : "descending";
    return make("th", attributes, button);
  }

  // The header that had the focus was replaced.
  focus(column) {
    this.head.children[this.columns.indexOf(column)].querySelector("button").focus();
  }

  note({ key, collides }) {
    const text =
      key === this.other ? UNLISTED : collides ? "reports do not tell it from another of these" : null;
    return text && make("small", {}, ` (${text})`);
  }

  // Perhaps nobody holds a key that is too rare to tell, whatever its own range says. The titles have all digits.
  row(estimate) {
    const { key, frequency, frequency_low, frequency_high, mean, mean_low, mean_high, mean_known, detected } =
      estimate;
    const share = frequencyTexts(estimate),
      value = meanTexts(estimate),
      [, shares, means] = this.columns;
    return make(
      "tr",
      { class: detected ? null : "soft" },
      make(
        "th",
        { scope: "row", class: "key" },
        this.address ? make("a", { href: this.address(key) }, key) : key,
        this.note(estimate),
      ),
      cell(shares, detected ? share.value : TOO_RARE, detected ? share.range : share.most, [
        frequency,
        frequency_low,
        frequency_high,
      ]),
      cell(means, mean_known ? value.value : UNKNOWN, value.range, [mean, mean_low, mean_high]),
    );
  }
}

// On a narrow screen each number stands in a line of its own, below the key.
const cell = ({ name }, text, range, numbers) =>
  make(
    "td",
    { class: "number", title: numbers.join(" – "), "data-label": name },
    make("span", {}, text),
    " ",
    make("small", {}, `(${range})`),
  );
