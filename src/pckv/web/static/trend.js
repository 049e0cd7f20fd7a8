// What the rounds of a series tell together: a sentence, the keys that moved most, and a table of all keys.
import { isLost } from "./connection.js";
import { alertBox, announce, ask, make, newestOnly, replace, request, save } from "./page.js";
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
    empty = make("p", { class: "note", hidden: true }, "No reports yet: the trend appears here once a round has some."),
    known = make("div", { hidden: true });
  const table = new TrendTable({ search: settings.search ?? "", onsearch: (search) => onsettings({ search }), onrows: drawCharts });
  replace(known, verdict, charts, caption, table.element, downloads());
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

  const refresh = newestOnly(async (signal, reports, unit) => {
    const began = Date.now();
    drawn = { reports, next: Infinity };
    if (known.hidden) computing.textContent = "Computing the trend …";
    try {
      const trend = await ask("GET", `${path}/trend`, { signal });
      table.show(trend, unit);
      showVerdict(trend);
      known.hidden = false;
      replace(said);
    } catch (error) {
      if (signal.aborted) return;
      // Try again even if no report comes.
      drawn.reports = -1;
      replace(said, isLost(error) ? null : alertBox(error.message));
    }
    computing.textContent = "";
    // A slow trend is requested less often.
    drawn.next = Date.now() + Math.max(1000 * CHART_SECONDS, 5 * (Date.now() - began));
  });

  function showVerdict({ verdict: [first, ...others] }) {
    replace(verdict, make("div", { class: "note" }, make("p", { class: "answer" }, first), make("p", {}, others.join(" "))));
  }

  // The keys that the table shows first, in its order: those that moved most, unless somebody sorts or searches.
  function drawCharts({ rounds, level }, rows) {
    replace(charts, ...rows.slice(0, CHARTS_SHOWN).map(({ key, change }) => trendChart(key, rounds, change)));
    caption.textContent = `The first ${Math.min(CHARTS_SHOWN, rows.length)} keys of the table, by round. Line: share of people, smoothed over the rounds, with its ${Number((100 * level).toPrecision(9))} % range. Points: single rounds by themselves.`;
    caption.hidden = rows.length === 0;
  }

  function downloads() {
    const forms = { CSV: "text/csv", JSON: "application/json" };
    const button = (form) => make("button", { type: "button", onclick: () => download(form, forms[form]) }, form);
    return make(
      "div",
      { class: "buttons", role: "group", "aria-label": "Download" },
      make("span", {}, "Download"),
      ...Object.keys(forms).map(button),
    );
  }

  async function download(form, accept) {
    try {
      const answer = await request("GET", `${path}/trend`, { accept });
      save(await answer.blob(), `trend.${form.toLowerCase()}`);
      announce(`${form} downloaded.`);
    } catch (error) {
      replace(said, alertBox(error.message));
    }
  }

  function show(contract, { rounds }) {
    const reports = rounds.reduce((sum, each) => sum + each.reports, 0);
    empty.hidden = reports > 0;
    if (!reports || drawn.reports === reports || Date.now() <= drawn.next || document.hidden) return;
    refresh(reports, contract.task.about.unit);
  }

  return { element, show, stop: () => refresh.stop() };
}
