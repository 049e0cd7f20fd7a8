// The list of series, newest first, with the round that takes reports and the next one.
import { ask, count, make, replace } from "../shared/page.js";
import { badge, keepFocus } from "../shared/task-state.js";

const SERIES_PER_PAGE = 50;
const NAMES = ["Name", "State", "Round", "Next round", "Reports in the round"];

// `refresh` asks for news; without series nothing is shown. `more` is called when somebody wants to see older ones.
export function seriesList(more) {
  const rows = make("tbody"),
    older = make("button", { type: "button", hidden: true, onclick: showOlder }, "Older series");
  const head = NAMES.map((name, place) =>
    make("th", { scope: "col", class: place === 4 ? "number" : null }, name),
  );
  const element = make(
    "section",
    { class: "list", "aria-label": "Series", hidden: true },
    make("h2", {}, "Series"),
    make("table", { class: "tasks series" }, make("thead", {}, make("tr", {}, ...head)), rows),
    older,
  );
  let pages = 1;

  function showOlder() {
    pages++;
    more();
  }

  async function refresh(signal) {
    const listed = [];
    let last;
    for (let page = 0; page < pages; page++) {
      const after = last === undefined ? "" : `&after=${last}`;
      const { series } = await ask("GET", `/series?limit=${SERIES_PER_PAGE}${after}`, { signal });
      listed.push(...series);
      last = listed.at(-1)?.number;
      older.hidden = series.length < SERIES_PER_PAGE;
      if (older.hidden) break;
    }
    show(listed);
  }

  function show(listed) {
    const text = JSON.stringify(listed);
    if (rows.dataset.shown === text) return;
    rows.dataset.shown = text;
    keepFocus(rows, () => replace(rows, ...listed.map(row)));
    element.hidden = listed.length === 0;
  }

  return { element, refresh };
}

function row(series) {
  const { last_round: last, next_round: next, rounds } = series;
  // On a narrow screen there are no headers.
  const cell = (place, ...children) => make("td", { "data-label": NAMES[place] }, ...children);
  const reports = cell(4, last ? count(last.reports) : "none yet");
  reports.classList.add("number");
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, make("a", { href: `#/series/${series.id}` }, series.name)),
    make("td", {}, badge(series)),
    cell(2, last ? `${count(last.number)}${rounds ? ` of ${count(rounds)}` : ""}` : "none yet"),
    cell(3, next ? next.opens : "none"),
    reports,
  );
}
