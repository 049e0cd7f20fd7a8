// The head of a series' page: what it asks, which round takes reports, when the next one opens, and what came so far.
import { count, make, plural, replace } from "../shared/page.js";
import { drawn } from "../shared/svg.js";
import { badge, keepFocus } from "../shared/task-state.js";

// So many rounds are shown at first, and more on request.
const ROUNDS_PER_PAGE = 60,
  MAX_ROUNDS = 1000;
const HEIGHT = 40,
  // A few bars do not fill the whole width.
  MIN_BARS = 12;

// `show` is called with the contract of the series, and what its rounds are like now.
export function seriesHead(role, changed) {
  const title = make("h1"),
    state = make("span"),
    copy = make("a", { class: "button", hidden: role !== "administrator" }, "Duplicate"),
    question = make("p", { class: "question" }),
    notice = make("p", { id: "notice" }),
    said = make("div"),
    bars = make("div", { class: "days" }),
    rows = make("tbody"),
    earlier = make("button", { type: "button", hidden: true, onclick: showEarlier }, "Earlier rounds");
  let limit = ROUNDS_PER_PAGE,
    shown = "";
  const element = make("div", {}, make("div", { class: "title" }, title, state, copy), question, notice);
  const counts = make("section", { "aria-label": "Reports", class: "counts" }, said, bars);
  const names = ["Round", "Opens", "State", "Reports"],
    headers = names.map((name) =>
      make("th", { scope: "col", class: name === "Reports" ? "number" : null }, name),
    );
  const rounds = make(
    "section",
    { "aria-label": "Rounds" },
    make("h2", {}, "Rounds"),
    make(
      "div",
      { class: "scroll rounds", tabindex: "0", role: "region", "aria-label": "Table of rounds" },
      make("table", { class: "compact" }, make("thead", {}, make("tr", {}, ...headers)), rows),
    ),
    earlier,
  );

  function showEarlier() {
    limit = Math.min(MAX_ROUNDS, limit + ROUNDS_PER_PAGE);
    changed();
  }

  function show(contract, answer) {
    const text = JSON.stringify([answer, limit]);
    if (text === shown) return;
    shown = text;
    const { series, rounds: listed } = answer,
      { about } = contract.task;
    title.textContent = series.name;
    copy.href = `#/new?series=${series.id}`;
    replace(state, badge(series));
    question.textContent = about.question;
    question.hidden = !about.question;
    notice.textContent = stateSentence(series);
    notice.className = series.phase === "open" ? "soft" : "note";
    const begun = listed.filter(({ phase }) => phase !== "waiting");
    replace(said, ...reports(series, begun));
    replace(bars, ...perRound(begun));
    keepFocus(rows, () => replace(rows, ...begun.toReversed().map(row)));
    earlier.hidden = listed.length < limit || limit === MAX_ROUNDS;
  }

  return { element, counts, rounds, show, limit: () => limit };
}

export function stateSentence({ phase, closed, first, last_round: last, next_round: next }) {
  if (phase === "waiting") return `This series is not open yet: round 1 opens on ${first} (UTC).`;
  if (closed)
    return `This series was closed on ${closed}. It takes no more reports; what is known stays below.`;
  if (phase === "closed") return "All rounds are over. What is known stays below.";
  const now =
    last?.phase === "open"
      ? `Round ${count(last.number)} takes reports until the end of ${dayBefore(last.closes)} (UTC). `
      : "";
  return `${now}${next ? `Round ${count(next.number)} opens on ${next.opens}.` : "It is the last round."}`;
}

// A device reports at most once in as many rounds in a row as there are panels: reports are people.
function reports({ panels }, begun) {
  const last = begun.at(-1);
  if (!last) return [make("p", { class: "big" }, make("strong", { id: "reports" }, "0"), " reports so far")];
  const noun = last.reports === 1 ? "report" : "reports",
    window = begun.filter(({ number }) => number > last.number - panels),
    people = window.reduce((sum, each) => sum + each.reports, 0);
  const words =
    panels === 1
      ? "Every device reports in every round: each report is one participant's."
      : `${plural(people, "participant")} in ${window.length === 1 ? "this round" : `the last ${plural(window.length, "round")}`}: a device reports once in ${count(panels)} rounds.`;
  return [
    make(
      "p",
      { class: "big" },
      make("strong", { id: "reports" }, count(last.reports)),
      ` ${noun} in round ${count(last.number)}${last.phase === "open" ? " so far" : ""}`,
    ),
    make("p", {}, words),
  ];
}

function perRound(begun) {
  const most = Math.max(...begun.map(({ reports }) => reports), 0);
  if (!most) return [];
  const bars = begun.map(({ number, opens, reports }, place) => {
    const height = reports ? Math.max(1, (HEIGHT * reports) / most) : 0,
      sizes = { x: place + 0.1, y: HEIGHT - height, width: 0.8, height };
    return drawn(
      "rect",
      sizes,
      drawn("title", {}, `Round ${number}, from ${opens} on: ${plural(reports, "report")}`),
    );
  });
  const { number: first } = begun[0],
    { number: last } = begun.at(-1),
    range = first === last ? `round ${first}` : `rounds ${first} to ${last}`,
    label = `Reports per round, ${range}; at most ${count(most)}`;
  const viewBox = `0 0 ${Math.max(MIN_BARS, begun.length)} ${HEIGHT}`;
  return [
    drawn("svg", { viewBox, preserveAspectRatio: "none", role: "img", "aria-label": `${label}.` }, ...bars),
    make("small", {}, label),
  ];
}

function row(round) {
  const { number, task, opens, reports } = round;
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, make("a", { href: `#/tasks/${task}` }, count(number))),
    make("td", {}, opens),
    make("td", {}, badge(round)),
    make("td", { class: "number" }, count(reports)),
  );
}

const dayBefore = (day) => new Date(Date.parse(`${day}T00:00Z`) - 86_400_000).toISOString().slice(0, 10);
