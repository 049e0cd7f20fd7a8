// The head of a series' page: its question, the round that takes reports, when the next opens, and what came.
import { count, make, plural, replace } from "../shared/page.js";
import { Table } from "../shared/table.js";
import { badge } from "../shared/task-words.js";
import { ReportBars } from "./report-bars.js";

// So many rounds are shown at first, and more on request.
const ROUNDS_PER_PAGE = 60,
  MAX_ROUNDS = 1000;
const COLUMNS = [{ name: "Round" }, { name: "Opens" }, { name: "State" }, { name: "Reports", number: true }];

// `show` is called with the contract of the series, and what its rounds are like now.
export function seriesHead(role, changed) {
  const title = make("h1"),
    state = make("span"),
    copy = make("a", { class: "button", hidden: role !== "administrator" }, "Duplicate"),
    question = make("p", { class: "question" }),
    notice = make("p", { id: "notice" }),
    said = make("div"),
    bars = new ReportBars(),
    table = new Table({ columns: COLUMNS, row, kind: "compact", label: "Table of rounds" }),
    earlier = make("button", { type: "button", hidden: true, onclick: showEarlier }, "Earlier rounds");
  let limit = ROUNDS_PER_PAGE,
    shown = "";
  const element = make("div", {}, make("div", { class: "title" }, title, state, copy), question, notice);
  const counts = make("section", { "aria-label": "Reports", class: "counts" }, said, bars.element);
  table.element.classList.add("rounds");
  const rounds = make("section", { "aria-label": "Rounds" }, make("h2", {}, "Rounds"), table.element, earlier);

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
    bars.show(...perRound(begun));
    table.show(begun.toReversed());
    earlier.hidden = listed.length < limit || limit === MAX_ROUNDS;
  }

  return { element, counts, rounds, show, limit: () => limit, stop: () => bars.stop() };
}

export function stateSentence({ phase, closed, first, last_round: last, next_round: next }) {
  if (phase === "waiting") return `This series is not open yet: round 1 opens on ${first} (UTC).`;
  if (closed) return `This series was closed on ${closed}. It takes no more reports; what is known stays below.`;
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

// The bars, and the sentence below them.
function perRound(begun) {
  const most = Math.max(...begun.map(({ reports }) => reports), 0);
  if (!most) return [[], ""];
  const bars = begun.map(({ number, opens, reports }) => ({
    reports,
    words: `Round ${number}, from ${opens} on: ${plural(reports, "report")}`,
  }));
  const [first, last] = [begun[0].number, begun.at(-1).number],
    range = first === last ? `round ${first}` : `rounds ${first} to ${last}`;
  return [bars, `Reports per round, ${range}; at most ${count(most)}`];
}

function row(round) {
  const link = make("a", { href: `#/tasks/${round.task}` }, count(round.number));
  return [link, round.opens, badge(round), count(round.reports)];
}

const dayBefore = (day) => new Date(Date.parse(`${day}T00:00Z`) - 86_400_000).toISOString().slice(0, 10);
