// The public results of a task: read-only, for anyone with the link.
import { Chart } from "../shared/chart.js";
import { withEpsilon } from "../shared/glossary.js";
import { shownText } from "../shared/direction.js";
import { choose, day, dayBefore, language, preferred, t } from "../shared/language.js";
import { alertBox, count, make, percent, plural, replace } from "../shared/page.js";
import { ask } from "../shared/request.js";
import { levelNames, meanTitle } from "../shared/ranges.js";
import { HeldTable, named, parted } from "../shared/table.js";
import { told, toldVerdict } from "../shared/told.js";
import { BarsFigure, readingOf } from "./bars.js";
import { meanCell, shareCell } from "./estimates.js";
import { findingOf, noResponses } from "./finding.js";
import { inLanguage } from "./in-language.js";
import { COLOURS, pairsSaid, pairsTable } from "./pairs.js";
import { panelsOf, ROWS_DRAWN } from "./panels.js";
import { differencesSaid, differencesTable, groupPanels, groupsCaption, labelsTable, withinTable } from "./segments.js";
import { isSpreadKnown, sharesSpecification, spreadTitle, tableOfShares } from "./shares.js";

// The collector computes the numbers once per minute.
const POLL_SECONDS = 60;

const main = document.getElementById("main"),
  id = location.pathname.split("/").pop(),
  said = make("div"),
  bars = new BarsFigure(),
  groups = new BarsFigure(),
  chart = new Chart(t("Shares of the values among those who chose an answer; the table below has the same numbers.")),
  map = new Chart(
    t(
      "Which answers are chosen together more often (blue) or less often (red) than by chance; the table below has the numbers.",
    ),
  ),
  body = make("div", { class: "results-page" });
replace(main, switcher(), body, said);

const ENDED = {
  404: t("This link leads to no public results. It may be incomplete, or the results are not public."),
  410: t("This survey was deleted, and its results with it."),
};

// The same page in the other language.
function switcher() {
  const [tag, name] = language === "de" ? ["en", "English"] : ["de", "Deutsch"];
  return make(
    "p",
    { class: "languages" },
    make("button", { type: "button", class: "plain", lang: tag, onclick: () => choose(tag) }, name),
  );
}

async function refresh() {
  try {
    show(inLanguage(await ask("GET", `/tasks/${encodeURIComponent(id)}/results`), preferred));
    replace(said);
  } catch (error) {
    const text = ENDED[error.status] ?? t("{problem} The page goes on trying.", { problem: error.message });
    replace(said, alertBox(text));
    if (error.status in ENDED) return replace(body, make("h1", {}, t("No results here")));
  }
  setTimeout(refresh, 1000 * POLL_SECONDS);
}

function show(results) {
  const { name, about, withheld, organisation, logo, round } = results,
    { activeElement } = document,
    shown = [t("Results"), t("How to read this")],
    part = (title, content, kind = null) =>
      make("section", { "aria-label": title }, make("h2", { class: kind }, title), ...content);
  document.title = t("{name} – results", { name });
  replace(
    body,
    make("h1", { lang: about.language, dir: "auto" }, shownText(about.question || name)),
    round ? make("p", {}, ...whichRound(results)) : null,
    logo ? make("img", { class: "asker", src: "/organisation/logo", alt: "", height: 40 }) : null,
    organisation
      ? make("p", { class: "soft" }, ...parted(t("Run by {organisation}"), { organisation: named(organisation) }))
      : null,
    about.description
      ? make("p", { class: "text", lang: about.language, dir: "auto" }, shownText(about.description))
      : null,
    part(shown[0], outcome(results), "hidden-text"),
    withheld ? null : part(shown[1], reading(results)),
  );
  // What is searched for is still being written.
  if (body.contains(activeElement)) activeElement.focus();
}

// Of a repeated survey, whose name its rounds have.
const whichRound = ({ name, round, opens, closes }) =>
  parted(t("{name}: round {number}, from {first} to {last}"), {
    name: named(name.replace(/, round \d+$/, "")),
    number: count(round),
    first: day(opens),
    last: day(dayBefore(closes)),
  });

const sentence = (text) => make("p", {}, text);

const list = (title, content) => make("details", { class: "options" }, make("summary", {}, title), ...content);

// Those of keys that are not listed stand apart: they are told in a sentence.
const listed = (estimates, other) => estimates.filter(({ key }) => key !== other);

// No numbers where counts are impossible: the collector sends none.
function outcome(results) {
  const { reports, verdict, withheld, estimates, other, keys, mixed } = results;
  const counted = `${t("From {responses}.", { responses: plural(reports, "response") })} ${state(results)}`;
  if (withheld) return [make("p", { class: "alert" }, told(withheld)), sentence(counted)];
  if (!reports) return [sentence(noResponses(results)), sentence(state(results))];
  const rows = listed(estimates, other),
    all = keys - Number(other !== null),
    isPart = all > rows.length;
  const panels = panelsOf(rows, results),
    caption = readingOf(panels, { level: percent(results.level), method: results.method });
  bars.show(
    panels,
    rows.length > ROWS_DRAWN
      ? `${t("The first {number} answer options.", { number: count(ROWS_DRAWN) })} ${caption}`
      : caption,
  );
  return [
    ...findingOf({ rows, answer: results, task: results, isPart }),
    make(
      "div",
      { class: "note" },
      ...toldVerdict(mixed ? verdict.slice(0, -1) : verdict, results).map(sentence),
      mixed ? sentence(t("A second organisation mixed the responses before they were read.")) : null,
    ),
    make("p", { class: "soft" }, counted),
    bars.element,
    table(rows, results),
    isPart
      ? sentence(t("The first {shown} of {all} answer options.", { shown: count(rows.length), all: count(all) }))
      : null,
    ...spread(rows, results),
    ...within(rows, results),
    ...together(results),
  ];
}

function state({ phase, closed, closes, opens, round, last_report: last }) {
  const since = last ? ` ${t("The last response came on {day}.", { day: day(last) })}` : "";
  if (phase === "closed") {
    const end = { day: day(closed ?? dayBefore(closes)) };
    return `${round ? t("The round closed on {day}.", end) : t("The survey closed on {day}.", end)}${since}`;
  }
  if (phase === "waiting") return t("The survey opens on {day}.", { day: day(opens) });
  return `${closes ? t("The survey is open until the end of {day}.", { day: day(dayBefore(closes)) }) : t("The survey is open.")}${since}`;
}

// One for as long as the page is open: what is searched stays when the numbers change.
let shares;

function table(rows, task) {
  shares ??= tableFor(task);
  return shares.hold(rows).element;
}

function tableFor(task) {
  const title = meanTitle(task),
    columns = [
      { name: t("Answer option") },
      { name: t("Chosen by"), number: true },
      ...(title ? [{ name: title, number: true }] : []),
    ],
    row = (each) => [named(each.key), shareCell(each), ...(title ? [meanCell(each)] : [])],
    isSoft = ({ detected }) => !detected;
  return new HeldTable({ columns, row, isSoft, kind: "public" });
}

// What people say of the keys, where a task has more than two levels. An open table stays open.
function spread(rows, { about }) {
  const known = rows.filter(({ shares, mean_known: isKnown }) => shares && isKnown);
  if (!known.length) return [];
  const texts = levelNames(
      known[0].shares.map(({ value }) => value),
      about,
    ),
    open = body.querySelector(".shares details")?.open ?? false;
  // The table has the same numbers: without the script that draws, nothing is missing.
  const drawn = known.filter(isSpreadKnown);
  chart.element.hidden = !drawn.length;
  if (drawn.length) chart.draw(sharesSpecification(drawn, texts, about.unit)).catch(() => {});
  return [
    make(
      "div",
      { class: "shares" },
      make("h3", {}, spreadTitle(about.unit)),
      chart.element,
      make(
        "p",
        { class: "soft", hidden: !drawn.length },
        t("The width of a part is the share of people, among those who chose the answer, who give that value."),
      ),
      make(
        "details",
        { open },
        make("summary", {}, t("The same as a table, with ranges")),
        tableOfShares(known, texts, named),
      ),
    ),
  ];
}

// Shares within the groups of a segment, and which keys differ between them.
function within(rows, { segments }) {
  if (!segments) return [];
  const { differences } = segments,
    panels = groupPanels(segments, rows);
  groups.show(panels, groupsCaption(panels));
  return [
    make("h3", {}, t("Within each group: {name}", { name: segments.name })),
    labelsTable(segments),
    groups.element,
    withinTable(
      segments,
      rows.map(({ key }) => key),
      named,
    ),
    make("h3", {}, t("Which answers differ")),
    ...differencesSaid(segments, differences.length, { isPart: true }).map(sentence),
    differences.length ? differencesTable(differences, named) : null,
  ];
}

function together({ pairs, pairs_found: found, chart: spec }) {
  if (!pairs) return [];
  map.draw(spec).catch(() => {});
  return [
    make("h3", {}, t("Chosen together")),
    make("div", { class: "heat-map" }, map.element),
    sentence(COLOURS),
    ...pairsSaid(pairs, found, pairs.rows.length).map(sentence),
    pairs.rows.length ? pairsTable(pairs.rows, named) : null,
  ];
}

function reading({ level, epsilon, padding, about: { contact }, estimates, segments, mixed, verdict }) {
  const cells = (segments?.cells ?? []).map(({ detected, share_high }) => ({ detected, frequency_high: share_high })),
    hasRare = [...estimates, ...cells].some(({ detected, frequency_high: high }) => !detected && high < 1);
  const sentences = [
    t(
      "Every answer was made noisy on the person's own device before it was sent. What a single response can tell about a person is limited, also towards those who collect it.",
    ),
    t(
      "Over all people, most of the noise cancels out. Each number has a range, which holds the true one with a confidence of {level}.",
      { level: percent(level) },
    ),
    ...(hasRare
      ? [
          t(
            "An answer that is not distinguishable from noise may have been chosen by none, or by as many as the end of its range says.",
          ),
        ]
      : []),
    ...(contact ? [t("Contact: {contact}", { contact })] : []),
  ];
  const details = t(
    "For specialists: local differential privacy with ε = {epsilon}; a response stands for up to {padding} of a person.",
    {
      epsilon: epsilon.toLocaleString(language),
      padding: plural(padding, "answer"),
    },
  );
  const href = `/help/participants?lang=${language}`,
    help = make("p", {}, make("a", { href }, t("More about how answers are protected"))),
    // What a mixer promises is the last sentence of the verdict.
    promise = mixed ? [sentence(told(verdict.at(-1)))] : [];
  return [...sentences.map(sentence), list(t("Details"), [make("p", {}, ...withEpsilon(details)), ...promise]), help];
}

refresh();
