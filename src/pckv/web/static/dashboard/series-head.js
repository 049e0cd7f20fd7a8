// The head of a repeated survey's page: its question, the round that takes reports, when the next opens, and what came.
import { shownText } from "../shared/direction.js";
import { day, dayBefore, t } from "../shared/language.js";
import { count, make, plural, replace, warningBox } from "../shared/page.js";
import { Table, named } from "../shared/table.js";
import { badge, listedState } from "../shared/task-words.js";
import { ReportBars } from "./report-bars.js";

// So many rounds are shown at first, and more on request.
const ROUNDS_PER_PAGE = 60,
  MAX_ROUNDS = 1000;
const COLUMNS = [
  { name: t("Round") },
  { name: t("Opens") },
  { name: t("State") },
  { name: t("Responses"), number: true },
];

// `show` is called with the contract of the series, and what its rounds are like now.
export function seriesHead(changed) {
  const title = make("h1"),
    state = make("span"),
    question = make("p", { class: "question" }),
    alarm = make("div"),
    notice = make("p", { id: "notice" }),
    said = make("div"),
    bars = new ReportBars(),
    table = new Table({ columns: COLUMNS, row, kind: "compact", label: t("Table of rounds") }),
    earlier = make("button", { type: "button", hidden: true, onclick: showEarlier }, t("Earlier rounds"));
  let limit = ROUNDS_PER_PAGE,
    shown = "";
  const element = make("div", {}, make("div", { class: "title" }, title, state), question, alarm, notice);
  const counts = make("section", { "aria-label": t("Responses"), class: "counts" }, said, bars.element);
  table.element.classList.add("rounds");
  const rounds = make("section", { "aria-label": t("Rounds") }, make("h2", {}, t("Rounds")), table.element, earlier);

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
    replace(title, named(series.name));
    replace(state, badge(series));
    question.textContent = shownText(about.question);
    question.hidden = !about.question;
    replace(alarm, alarmBox(series, listed));
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

// Leads to the rounds whose responses are unusual: their pages say what was found, and what to do.
function alarmBox({ has_alarms: isAlarmed }, listed) {
  if (!isAlarmed) return null;
  const links = listed
    .filter((round) => round.has_alarms)
    .map(({ task, number }) => make("a", { href: `#/tasks/${task}` }, t("Round {number}", { number: count(number) })));
  const box = warningBox([t("Numbers that come from them may be wrong. The page of their round says what to do.")]);
  box.prepend(make("h2", {}, t("Some responses are unusual")));
  box.append(
    links.length
      ? make("ul", {}, ...links.map((link) => make("li", {}, link)))
      : make("p", {}, t("It is one of the rounds that the table shows under “Earlier rounds”.")),
  );
  return box;
}

export function stateSentence({ phase, closed, first, last_round: last, next_round: next }) {
  if (phase === "waiting") return t("Not open yet: round 1 opens on {day} (world time, UTC).", { day: day(first) });
  if (closed) return t("Closed on {day}. No more responses are taken; the results stay here.", { day: day(closed) });
  if (phase === "closed") return t("All rounds are over. The results stay here.");
  const now =
    last?.phase === "open"
      ? t("Round {number} takes responses until the end of {day} (world time, UTC).", {
          number: count(last.number),
          day: day(dayBefore(last.closes)),
        })
      : "";
  const later = next
    ? t("Round {number} opens on {day}.", { number: count(next.number), day: day(next.opens) })
    : t("It is the last round.");
  return `${now} ${later}`.trim();
}

// A device reports at most once in as many rounds in a row as there are panels: reports are people.
function reports({ panels }, begun) {
  const last = begun.at(-1);
  if (!last) return [big("0", t("responses so far"))];
  const window = begun.filter(({ number }) => number > last.number - panels),
    people = window.reduce((sum, each) => sum + each.reports, 0);
  return [big(count(last.reports), cameIn(last)), make("p", {}, peopleText(panels, people, window.length))];
}

const big = (number, words) => make("p", { class: "big" }, make("strong", { id: "reports" }, number), ` ${words}`);

function cameIn({ reports, number, phase }) {
  const values = { round: count(number) };
  if (phase !== "open") {
    return reports === 1 ? t("response in round {round}", values) : t("responses in round {round}", values);
  }
  return reports === 1 ? t("response in round {round} so far", values) : t("responses in round {round} so far", values);
}

function peopleText(panels, people, rounds) {
  if (panels === 1) return t("Everybody can answer in every round: each response is one participant's.");
  const values = { people: plural(people, "participant"), rounds: count(rounds), panels: count(panels) };
  return rounds === 1
    ? t("{people} in this round: everybody answers once in {panels} rounds.", values)
    : t("{people} in the last {rounds} rounds: everybody answers once in {panels} rounds.", values);
}

// The bars, and the sentence below them.
function perRound(begun) {
  const most = Math.max(...begun.map(({ reports }) => reports), 0);
  if (!most) return [[], ""];
  const bars = begun.map(({ number, opens, reports }) => ({
    reports,
    words: t("Round {number}, from {day} on: {responses}", {
      number: count(number),
      day: day(opens),
      responses: plural(reports, "response"),
    }),
  }));
  const values = { first: count(begun[0].number), last: count(begun.at(-1).number), most: count(most) };
  return [
    bars,
    begun.length === 1
      ? t("Responses in round {first}: {most}", values)
      : t("Responses per round, {first} to {last}; at most {most}", values),
  ];
}

function row(round) {
  const link = make("a", { href: `#/tasks/${round.task}` }, count(round.number));
  return [link, day(round.opens), listedState(round), count(round.reports)];
}
