// The list of repeated surveys, newest first, with the round that takes reports and the next one.
import { day, t } from "../shared/language.js";
import { count, make } from "../shared/page.js";
import { ask } from "../shared/request.js";
import { Table, named } from "../shared/table.js";
import { listedState } from "../shared/task-words.js";

const SERIES_PER_PAGE = 50;
const COLUMNS = [
  { name: t("Name") },
  { name: t("State") },
  { name: t("Round") },
  { name: t("Next round") },
  { name: t("Responses in the round"), number: true },
];

export class SeriesList {
  // `more` is called to show older ones.
  constructor(more) {
    this.pages = 1;
    this.table = new Table({ columns: COLUMNS, row, kind: "tasks series" });
    const showOlder = () => {
      this.pages++;
      more();
    };
    this.older = make("button", { type: "button", hidden: true, onclick: showOlder }, t("Older repeated surveys"));
    this.element = make(
      "section",
      { class: "list", "aria-label": t("Repeated surveys"), hidden: true },
      make("h2", {}, t("Repeated surveys")),
      this.table.element,
      this.older,
    );
  }

  // Without series nothing is shown.
  async refresh(signal) {
    const listed = [];
    for (let page = 0; page < this.pages; page++) {
      const last = listed.at(-1),
        after = last ? `&after=${last.number}` : "",
        { series } = await ask("GET", `/series?limit=${SERIES_PER_PAGE}${after}`, { signal });
      listed.push(...series);
      this.older.hidden = series.length < SERIES_PER_PAGE;
      if (this.older.hidden) break;
    }
    this.table.show(listed);
    this.element.hidden = listed.length === 0;
  }
}

const roundText = (number, rounds) =>
  rounds ? t("{number} of {rounds}", { number: count(number), rounds: count(rounds) }) : count(number);

function row(series) {
  const { id, name, last_round: last, next_round: next, rounds } = series;
  return [
    make("a", { href: `#/series/${id}` }, named(name)),
    listedState(series),
    last ? roundText(last.number, rounds) : t("none yet"),
    next ? day(next.opens) : t("none"),
    last ? count(last.reports) : t("none yet"),
  ];
}
