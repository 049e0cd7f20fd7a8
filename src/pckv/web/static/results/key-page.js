// One key: how many people hold it and what they say, in words, how sure that is, and what would make it sharper.
import { withSettings } from "../shared/address.js";
import { Chart } from "../shared/chart.js";
import { distributionOf } from "./distribution.js";
import { changedOptions, levelText, readOptions } from "./estimate-options.js";
import {
  alertBox,
  ask,
  count,
  make,
  newestOnly,
  pairs,
  percent,
  plural,
  points,
  query,
  replace,
} from "../shared/page.js";
import { frequencyTexts, meanTexts, TOO_RARE, UNKNOWN } from "../shared/ranges.js";

export function keyView(root, id, key, settings) {
  document.title = `${key} – pckv`;
  const path = `/tasks/${encodeURIComponent(id)}`,
    chart = new Chart("Share of people and mean of the key with their ranges at several levels."),
    values = new Chart("Shares of the values of those who hold the key, and quantiles, with their ranges.");
  const said = make("div"),
    top = make("div"),
    levels = make("div"),
    body = make("div", { hidden: true });
  const told = make("div", { "aria-live": "polite" }),
    spread = make("section", { "aria-label": "What they say", hidden: true }),
    sharper = make("div");
  let threshold;
  replace(
    body,
    make("section", { "aria-label": "What is known" }, make("h2", {}, "What is known"), told),
    spread,
    make(
      "section",
      { "aria-label": "How sure that is" },
      make("h2", {}, "How sure that is"),
      make("p", {}, "The surer a range is to be right, the wider it is."),
      chart.element,
      levels,
    ),
    make(
      "section",
      { "aria-label": "What would be sharper" },
      make("h2", {}, "What would make it sharper"),
      sharper,
    ),
  );
  replace(root, top, said, body);

  const refresh = newestOnly(async (signal) => {
    try {
      const task = await ask("GET", `${path}/overview`, { signal });
      document.title = `${key} – ${task.name} – pckv`;
      const options = readOptions(task, settings),
        address = (name) => withSettings(keyAddress(id, name), changedOptions(task, options)),
        parameters = query({ ...options, name: key });
      replace(top, back(task, options), make("h1", {}, key));
      if (!task.reports)
        return replace(said, make("p", { class: "note" }, "No reports yet: nothing is known of this key."));
      const answer = await ask("GET", `${path}/key?${parameters}`, { signal });
      replace(top, back(task, options), make("h1", {}, key), neighbours(answer, address));
      replace(told, ...sentences(answer, task));
      replace(sharper, ...improvements(answer, task));
      showSpread(answer.estimate, task);
      body.hidden = false;
      const several = await ask("GET", `${path}/key/levels?${parameters}`, { signal });
      replace(levels, levelsTable(several.levels, task.about.unit));
      await Promise.all([
        chart.draw(several.chart),
        several.distribution_chart && values.draw(several.distribution_chart),
      ]);
    } catch (error) {
      if (!signal.aborted) replace(said, alertBox(error.message));
    }
  });

  // Of tasks with more than two levels; the threshold begins in their middle.
  function showSpread(estimate, task) {
    spread.hidden = !estimate.shares;
    if (spread.hidden) return;
    threshold ??= Math.floor((task.level_values.length - 1) / 2);
    const onthreshold = (level) => (threshold = level);
    replace(
      spread,
      make("h2", {}, "What they say"),
      ...distributionOf(estimate, task, { chart: values.element, threshold, onthreshold }),
    );
  }

  refresh();
  return () => {
    refresh.stop();
    chart.stop();
    values.stop();
  };
}

const keyAddress = (id, key) => `#/tasks/${id}/keys/${encodeURIComponent(key)}`;

function back(task, options) {
  const address = withSettings(`#/tasks/${task.id}`, changedOptions(task, options));
  return make("p", {}, make("a", { href: address }, `← ${task.name}`));
}

// The keys before and after this one in the order of their shares.
function neighbours({ rank, keys, previous, next }, address) {
  if (rank === null) return null;
  const link = (name, label) => (name === null ? null : make("a", { href: address(name) }, label));
  return make(
    "nav",
    { class: "neighbours", "aria-label": "Other keys" },
    make("span", {}, `Number ${count(rank)} of ${plural(keys, "key")}`),
    link(previous, `‹ ${previous}`),
    link(next, `${next} ›`),
  );
}

function sentences({ estimate, people, reports, level, hostile, verdict }, task) {
  const share = frequencyTexts(estimate),
    sure = `Such ranges are right in ${levelText(level)} of cases${hostile ? `, whatever ${count(hostile)} of the reports say` : ""}.`;
  const among = `Among the ${reports === 1 ? "one person" : `${count(reports)} people`} who sent a report`;
  const lines = estimate.detected
    ? [
        make(
          "p",
          { class: "answer" },
          make("strong", {}, `${share.value} of people`),
          ` hold it: between ${share.low} and ${share.high}.`,
        ),
        make(
          "p",
          {},
          `${among}, that is about ${count(people.estimate)}: between ${count(people.low)} and ${count(people.high)}.`,
        ),
      ]
    : [
        make(
          "p",
          { class: "answer" },
          make("strong", {}, `It is ${TOO_RARE}:`),
          ` at most ${share.high} of people hold it, and perhaps nobody.`,
        ),
        make("p", {}, `${among}, that is at most ${count(people.high)}.`),
      ];
  return [
    ...lines,
    make("p", {}, meanSentence(estimate, task)),
    make("p", {}, sure),
    make("p", { class: "soft" }, verdict.slice(1).join(" ")),
  ];
}

function meanSentence(estimate, { low, high, about }) {
  const mean = meanTexts(estimate, about.unit),
    end = (value, label) => (label ? `${value} (${label})` : String(value)),
    scale = `on a scale from ${end(low, about.low_label)} to ${end(high, about.high_label)}`;
  if (!estimate.mean_known) return `The mean of what they say is ${UNKNOWN}: it may be anything ${scale}.`;
  return `Those who hold it give it ${mean.value} on average, between ${mean.low} and ${mean.high}, ${scale}.`;
}

function improvements({ sharper, reports, estimate, hostile }, task) {
  if (hostile)
    return [
      make("p", {}, "Fewer hostile reports: what they can do does not shrink as more honest ones come."),
    ];
  const { noise, smallest, hidden, size_answers: answers } = sharper,
    more = `people who hold more than ${pairs(task.padding)}`;
  const lines = [
    `More reports: with today's, noise alone makes the share typically off by ±${points(noise)}. Four times as many, ${count(4 * reports)}, would halve that.`,
    estimate.detected
      ? ""
      : `Keys that fewer than ${percent(Number(smallest.toPrecision(2)))} of people hold are often ${TOO_RARE} as yet.`,
    hidden && answers ? `A longer padding: ${more} may hide up to ${points(hidden)} of it.` : "",
    hidden && !answers ? `Sizes: how many ${more} there are, who hide a part of it, is not known.` : "",
    "A larger ε, in a new task, which promises people less.",
  ];
  return [make("ul", {}, ...lines.filter(Boolean).map((line) => make("li", {}, line)))];
}

function levelsTable(rows, unit) {
  const head = ["Right in … of cases", "Share of people", unit ? `Mean, in ${unit}` : "Mean"];
  const row = (estimate) =>
    make(
      "tr",
      { class: estimate.detected ? null : "soft" },
      make("th", { scope: "row" }, `${levelText(estimate.level)}`),
      make("td", { class: "number" }, frequencyTexts(estimate)[estimate.detected ? "range" : "most"]),
      make("td", { class: "number" }, estimate.mean_known ? meanTexts(estimate).range : UNKNOWN),
    );
  return make(
    "table",
    { class: "compact levels" },
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        ...head.map((name, column) => make("th", { scope: "col", class: column ? "number" : null }, name)),
      ),
    ),
    make("tbody", {}, ...rows.map(row)),
  );
}
