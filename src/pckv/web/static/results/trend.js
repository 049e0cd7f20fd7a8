// What the rounds of a series tell together: a sentence, the keys that moved most, and a table of all keys.
import { isLost, Pace } from "../shared/connection.js";
import { answersAs, downloads, TABLES } from "../shared/downloads.js";
import { language, t } from "../shared/language.js";
import {
  alertBox,
  choice,
  count,
  field,
  make,
  newestOnly,
  plural,
  points,
  query,
  replace,
  warningBox,
} from "../shared/page.js";
import { ask, request } from "../shared/request.js";
import { changeTexts, frequencyWords, meanTitle, UNLISTED } from "../shared/ranges.js";
import { named, ranged, SearchTable } from "../shared/table.js";
import { told } from "../shared/told.js";
import { levelText } from "./estimate-options.js";
import { meanCell, shareCell } from "./estimates.js";
import { emptyText } from "./finding.js";
import { aloneOf, smoothedOf, TrendCharts, whenText } from "./trend-charts.js";

const NO_REPORTS = t("No responses yet: the trend appears here once a round has some.");
const MOVED = "moved";

// By which numbers each column sorts; the second number decides among equals.
const SORTS = {
  [MOVED]: ({ test, changes, pooled }) =>
    test ? [-test.p_value, Math.max(0, ...changes.map(({ change }) => Math.abs(change)))] : [pooled.frequency, 0],
  smoothed: ({ key }) => [key.smoothed.at(-1), 0],
  pooled: ({ pooled }) => [pooled.frequency, 0],
  mean: ({ pooled }) => [Number(pooled.mean_known), pooled.mean],
};

// A sort with a minus sign is from the largest on. Sorting is stable: keys that are equal stay in the order
// of the task.
function sortedBy(items, sort) {
  const sign = sort.startsWith("-") ? -1 : 1,
    keyed = items.map((item) => [item, ...SORTS[sort.replace("-", "")](item)]);
  keyed.sort(([, ...one], [, ...other]) => sign * (one[0] - other[0] || one[1] - other[1]));
  return keyed.map(([item]) => item);
}

// Whether a trend counts all responses of its rounds, and of later ones, that were known when it was asked for.
function countsAll(trend, listed) {
  const counted = new Map(trend.rounds.map(({ round, reports }) => [round, reports])),
    [{ round: first }] = trend.rounds;
  return listed.every(({ number, reports }) => number < first || reports <= (counted.get(number) ?? 0));
}

export class TrendSection {
  // `settings` are those of the address; `onsettings` is called with those that belong there now.
  constructor({ path, settings, onsettings }) {
    Object.assign(this, { path, onsettings, pace: new Pace(), offered: "", meanTitle: null, items: [] });
    // The round that the last one is compared with; empty where all rounds are.
    this.since = /^\d{1,7}$/.test(settings.since) ? settings.since : "";
    this.said = make("div");
    this.verdict = make("div", { class: "verdict", "aria-live": "polite" });
    this.computing = make("p", { class: "computing", role: "status" });
    this.empty = make("p", { class: "note", hidden: true });
    this.from = make("p", { class: "soft" });
    this.compared = make("div", { class: "filters" });
    this.charts = new TrendCharts();
    this.caption = make("p", { class: "soft" });
    this.table = new SearchTable({
      label: t("Table of answer options"),
      columns: [],
      sort: `-${MOVED}`,
      search: settings.search ?? "",
      isSoft: ({ pooled }) => !pooled.detected,
      onsearch: () => this.writeAddress(),
      row: (item) => this.row(item),
      load: (page) => this.page(page),
    });
    this.table.element.classList.add("trend-table");
    const send = (accept) => request("GET", this.address({ language }), { accept }),
      saved = downloads(answersAs(TABLES, send), (error) => replace(this.said, alertBox(error.message)));
    const parts = [
      this.verdict,
      this.from,
      this.compared,
      this.charts.element,
      this.caption,
      this.table.element,
      saved,
    ];
    this.known = make("div", { hidden: true }, ...parts);
    const content = [make("h2", {}, t("Trend")), this.empty, this.said, this.computing, this.known];
    this.element = make("section", { "aria-label": t("Trend") }, ...content);
  }

  // Called with the contract and every answer about the rounds.
  show(contract, { series, rounds }) {
    const reports = rounds.reduce((sum, each) => sum + each.reports, 0);
    this.listed = rounds;
    this.empty.hidden = reports > 0;
    this.empty.textContent = series.phase === "closed" ? emptyText(series) : NO_REPORTS;
    if (!reports || !this.pace.isDue(reports)) return;
    this.meanTitle = meanTitle(contract.task);
    this.refresh(reports);
  }

  address(further = {}) {
    return `${this.path}/trend?${query({ since: this.since, ...further })}`;
  }

  writeAddress() {
    this.onsettings({ search: this.table.search, since: this.since });
  }

  refresh = newestOnly(async (signal, reports) => {
    this.pace.begin(reports);
    if (this.known.hidden) this.computing.textContent = t("Computing the trend …");
    let complete = false;
    try {
      const { listed } = this,
        trend = await ask("GET", this.address(), { signal });
      await this.showTrend(trend);
      replace(this.said);
      complete = countsAll(trend, listed);
    } catch (error) {
      if (signal.aborted) return;
      replace(this.said, isLost(error) ? null : alertBox(error.message));
      // The address may name a round that nothing can be compared with.
      if (error.status === 400 && this.since) this.setRound("");
    }
    this.computing.textContent = "";
    this.pace.end(complete);
  });

  async showTrend(trend) {
    const { changes, keys, pooled, rounds, verdict, warning = [] } = trend,
      reports = rounds.reduce((sum, each) => sum + each.reports, 0),
      [first, ...others] = verdict.slice(warning.length),
      rows = new Map();
    for (const row of changes?.rows ?? []) rows.set(row.key, [...(rows.get(row.key) ?? []), row]);
    this.trend = trend;
    this.items = keys.map((key, place) => ({
      key,
      pooled: pooled.estimates[place],
      test: changes?.keys[place] ?? null,
      changes: rows.get(key.key) ?? [],
    }));
    this.offerRounds(trend);
    this.table.columns = this.columns(trend);
    // Charts are drawn to the width of the page.
    this.known.hidden = false;
    await this.table.refresh();
    const answer = [make("p", { class: "answer" }, told(first)), make("p", {}, others.map(told).join(" "))];
    replace(
      this.verdict,
      warning.length ? warningBox(warning.map(told)) : null,
      make("div", { class: "note" }, ...answer),
    );
    this.from.textContent = t("From {responses}.", { responses: plural(reports, "response") });
  }

  // Built again only when there is another round, so that the focus stays where it is.
  offerRounds({ rounds }) {
    const earlier = rounds
        .slice(0, -1)
        .map(({ round }) => String(round))
        .reverse(),
      state = JSON.stringify(earlier);
    if (state === this.offered) return;
    this.offered = state;
    const options = [
      ["", t("all neighbouring rounds")],
      ...earlier.map((round) => [round, t("the last one with round {round} alone", { round: count(Number(round)) })]),
    ];
    const select = choice(options, this.since, (round) => this.compareWith(round));
    replace(this.compared, earlier.length > 1 ? field(t("Compare"), select) : null);
  }

  compareWith(round) {
    this.setRound(round);
    this.refresh(this.pace.reports);
  }

  setRound(round) {
    this.since = round;
    this.writeAddress();
  }

  columns({ rounds, panels, changes }) {
    const last = rounds.at(-1).round,
      together = rounds.filter(({ round }) => round > last - panels),
      pooled =
        together.length > 1
          ? t("Rounds {first} to {last} together", { first: count(together[0].round), last: count(last) })
          : null;
    const since = this.since ? t("Change since round {round}", { round: count(changes?.first ?? 0) }) : t("Changed"),
      moved = { name: since, sort: MOVED, number: true };
    return [
      { name: t("Answer option") },
      // A round alone has no others to be smoothed with.
      ...(rounds.length > 1
        ? [{ name: t("Round {round}, smoothed", { round: count(last) }), sort: "smoothed", number: true }]
        : []),
      ...(changes ? [moved] : []),
      { name: pooled ?? t("Round {round} alone", { round: count(last) }), sort: "pooled", number: true },
      ...(this.meanTitle ? [{ name: this.meanTitle, sort: "mean", number: true }] : []),
    ];
  }

  // The browser holds the whole table. The keys that it shows first are drawn: those that moved most, unless
  // the table is sorted or searched.
  page({ search, sort, offset, limit }) {
    const wanted = search.toLowerCase(),
      found = this.items.filter(({ key }) => key.key.toLowerCase().includes(wanted)),
      items = sortedBy(found, sort).slice(offset, offset + limit),
      { rounds, level, changes } = this.trend,
      drawn = this.charts.show(items, rounds),
      shaded = changes?.keys_changed ? ` ${t("Shaded: it changed between these rounds.")}` : "";
    const values = { drawn: count(drawn), level: levelText(level) };
    this.caption.textContent =
      rounds.length > 1
        ? t(
            "The first {drawn} of the table, by round. Line: share of people, smoothed over the rounds, with its range (confidence {level}). Points: single rounds by themselves; bars: their ranges, where they differ from what the other rounds lead to expect.",
            values,
          ) + shaded
        : t(
            "The first {drawn} of the table, in the only round with responses. Point: share of people; bar: its range (confidence {level}).",
            values,
          );
    this.caption.hidden = drawn === 0;
    return { items, total: found.length };
  }

  row({ key, pooled, test, changes }) {
    const last = key.smoothed.length - 1,
      smoothed = smoothedOf(key, last),
      isOther = key.key === this.trend.pooled.other;
    return [
      [named(key.key), isOther ? make("small", {}, ` (${UNLISTED})`) : null],
      ...(key.smoothed.length > 1 ? [shareCell(smoothed, aloneText(key, last))] : []),
      ...(test ? [changesCell(test, changes)] : []),
      shareCell(pooled),
      ...(this.meanTitle ? [meanCell(pooled)] : []),
    ];
  }

  stop() {
    this.refresh.stop();
    this.table.stop();
    this.charts.stop();
  }
}

// What the round says by itself, where that differs from what the other rounds lead to expect.
function aloneText(key, place) {
  if (!key.differs[place]) return null;
  return make("div", {}, make("small", {}, t("by itself {words}", { words: frequencyWords(aloneOf(key, place)) })));
}

// A key that changed more than once has a line per change. What is not seen may be as large as the noise hides.
function changesCell({ smallest_change: smallest }, changes) {
  if (!changes.length)
    return smallest < 1 ? t("none seen (below {smallest} may hide)", { smallest: upTo(smallest) }) : t("none seen");
  const lines = changes.map((change) => {
    const { value, range } = changeTexts(change),
      flag = change.changed
        ? make("span", { class: "badge changed" }, t("between {rounds}", { rounds: whenText(change) }))
        : null;
    return ranged(value, range, [change.change, change.change_low, change.change_high], flag);
  });
  if (lines.length === 1) return lines[0];
  return lines.map(({ content, title }) => make("div", { title }, ...content));
}

// Points, rounded up to two digits: no smaller change is said to be seen.
function upTo(share) {
  const digits = 1 - Math.floor(Math.log10(100 * share)),
    factor = 10 ** digits;
  return points(Math.ceil(100 * share * factor) / factor / 100);
}
