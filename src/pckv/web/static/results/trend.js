// What the rounds of a series tell together: a sentence, the keys that moved most, and a table of all keys.
import { isLost } from "../shared/connection.js";
import {
  alertBox,
  announce,
  ask,
  choice,
  count,
  field,
  make,
  newestOnly,
  query,
  replace,
  request,
  save,
} from "../shared/page.js";
import { DOWNLOADS, fileName } from "./results.js";
import { trendChart } from "./trend-chart.js";
import { TrendTable } from "./trend-table.js";

const CHART_SECONDS = 10;
const CHARTS_SHOWN = 6;

// `show` is called with the contract and every answer about the rounds. `settings` are those of the address.
export function trendSection({ path, settings, onsettings }) {
  const said = make("div"),
    verdict = make("div", { class: "verdict", "aria-live": "polite" }),
    computing = make("p", { class: "computing", role: "status" }),
    charts = make("div", { class: "trends" }),
    caption = make("p", { class: "soft" }),
    empty = make(
      "p",
      { class: "note", hidden: true },
      "No reports yet: the trend appears here once a round has some.",
    ),
    known = make("div", { hidden: true });
  const table = new TrendTable({ search: settings.search ?? "", onsearch: writeAddress, onrows: drawCharts }),
    compared = make("div", { class: "filters" });
  // The round that the last one is compared with; empty for the one before it.
  let since = /^\d{1,7}$/.test(settings.since) ? settings.since : "",
    offered = "",
    unit = "";
  replace(known, verdict, compared, charts, caption, table.element, downloads());
  const element = make(
    "section",
    { "aria-label": "Trend" },
    make("h2", {}, "Trend"),
    empty,
    said,
    computing,
    known,
  );
  let drawn = { reports: -1, next: 0 };

  function writeAddress() {
    onsettings({ search: table.search, since });
  }

  const refresh = newestOnly(async (signal, reports) => {
    const began = Date.now();
    drawn = { reports, next: Infinity };
    if (known.hidden) computing.textContent = "Computing the trend …";
    try {
      const trend = await ask("GET", `${path}/trend?${query({ since })}`, { signal });
      offerRounds(trend);
      table.show(trend, unit);
      showVerdict(trend);
      known.hidden = false;
      replace(said);
    } catch (error) {
      if (signal.aborted) return;
      // Try again even if no report comes.
      drawn.reports = -1;
      replace(said, isLost(error) ? null : alertBox(error.message));
      // The address may name a round that nothing can be compared with.
      if (error.status === 400 && since) {
        since = "";
        writeAddress();
      }
    }
    computing.textContent = "";
    // A slow trend is requested less often.
    drawn.next = Date.now() + Math.max(1000 * CHART_SECONDS, 5 * (Date.now() - began));
  });

  // Built again only when there is another round, so that the focus stays where it is.
  function offerRounds({ rounds }) {
    const earlier = rounds
        .slice(0, -1)
        .map(({ round }) => String(round))
        .reverse(),
      state = JSON.stringify(earlier);
    if (state === offered) return;
    offered = state;
    const [before, ...others] = earlier,
      options = [
        ["", `round ${count(Number(before))}, the one before`],
        ...others.map((round) => [round, `round ${count(Number(round))}`]),
      ],
      select = choice(options, since, compareWith);
    replace(compared, others.length ? field("Compare the last round with", select) : null);
  }

  function compareWith(round) {
    since = round;
    writeAddress();
    refresh(drawn.reports);
  }

  function showVerdict({ verdict: [first, ...others] }) {
    replace(
      verdict,
      make("div", { class: "note" }, make("p", { class: "answer" }, first), make("p", {}, others.join(" "))),
    );
  }

  // The keys that the table shows first, in its order: those that moved most, unless somebody sorts or searches.
  function drawCharts({ rounds, level }, rows) {
    replace(charts, ...rows.slice(0, CHARTS_SHOWN).map(({ key, change }) => trendChart(key, rounds, change)));
    caption.textContent = `The first ${Math.min(CHARTS_SHOWN, rows.length)} keys of the table, by round. Line: share of people, smoothed over the rounds, with its ${Number((100 * level).toPrecision(9))} % range. Points: single rounds by themselves.`;
    caption.hidden = rows.length === 0;
  }

  function downloads() {
    const button = (form) =>
      make("button", { type: "button", onclick: () => download(form, DOWNLOADS[form]) }, form);
    return make(
      "div",
      { class: "buttons", role: "group", "aria-label": "Download" },
      make("span", {}, "Download"),
      ...Object.keys(DOWNLOADS).map(button),
    );
  }

  async function download(form, accept) {
    try {
      const answer = await request("GET", `${path}/trend?${query({ since })}`, { accept });
      save(await answer.blob(), fileName(answer));
      announce(`${form} downloaded.`);
    } catch (error) {
      replace(said, alertBox(error.message));
    }
  }

  function show(contract, { rounds }) {
    const reports = rounds.reduce((sum, each) => sum + each.reports, 0);
    empty.hidden = reports > 0;
    if (!reports || drawn.reports === reports || Date.now() <= drawn.next || document.hidden) return;
    unit = contract.task.about.unit;
    refresh(reports);
  }

  return { element, show, stop: () => refresh.stop() };
}
