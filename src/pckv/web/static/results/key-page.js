// One key: how many people hold it, what they say, how sure that is, and what would make it sharper.
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
  percent,
  plural,
  points,
  query,
  replace,
  warningBox,
} from "../shared/page.js";
import { frequencyTexts, meanTexts, meanTitle, reportedMeanTexts, TOO_RARE, UNKNOWN } from "../shared/ranges.js";
import { LIFT, partnersTable } from "./pairs.js";
import { differencesTable, groupsOfKey } from "./segments.js";
import { Table } from "../shared/table.js";
import { hasValues, heldText } from "../shared/task-words.js";

export function keyView(root, id, key, settings) {
  document.title = `${key} – pckv`;
  const view = new KeyView(root, id, key, settings);
  view.refresh();
  return () => view.stop();
}

const section = (label, title, ...content) =>
  make("section", { "aria-label": label }, make("h2", {}, title), ...content);

class KeyView {
  constructor(root, id, key, settings) {
    Object.assign(this, { id, key, settings, path: `/tasks/${encodeURIComponent(id)}` });
    this.chart = new Chart("");
    this.values = new Chart("Shares of the values of those who hold the key, and quantiles, with their ranges.");
    this.said = make("div");
    this.top = make("div");
    this.levels = make("div");
    this.told = make("div", { "aria-live": "polite" });
    this.spread = make("section", { "aria-label": "What they say", hidden: true });
    this.further = make("section", { "aria-label": "Groups and partners", hidden: true });
    this.sharper = make("div");
    const surer = make("p", {}, "The surer a range is to be right, the wider it is.");
    this.body = make(
      "div",
      { hidden: true },
      section("What is known", "What is known", this.told),
      this.spread,
      this.further,
      section("How sure that is", "How sure that is", surer, this.chart.element, this.levels),
      section("What would be sharper", "What would make it sharper", this.sharper),
    );
    replace(root, this.top, this.said, this.body);
  }

  refresh = newestOnly(async (signal) => {
    try {
      const task = await ask("GET", `${this.path}/overview`, { signal });
      await this.show(task, readOptions(task, this.settings), signal);
    } catch (error) {
      if (!signal.aborted) replace(this.said, alertBox(error.message));
    }
  });

  async show(task, options, signal) {
    const { id, key, path } = this,
      parameters = query({ ...options, name: key }),
      heading = [back(task, options), make("h1", {}, key)];
    document.title = `${key} – ${task.name} – pckv`;
    replace(this.top, ...heading);
    this.chart.description = `Share of people${hasValues(task) ? " and mean" : ""} of the key with ranges at several levels.`;
    if (!task.reports)
      return replace(this.said, make("p", { class: "note" }, "No reports yet: nothing is known of this key."));
    const answer = await ask("GET", `${path}/key?${parameters}`, { signal }),
      address = (name) => withSettings(keyAddress(id, name), changedOptions(task, options));
    replace(this.top, ...heading, neighbours(answer, address));
    replace(this.told, ...sentences(answer, task));
    replace(this.sharper, ...improvements(answer, task));
    this.showSpread(answer.estimate, task);
    this.showFurther(answer, address);
    this.body.hidden = false;
    const several = await ask("GET", `${path}/key/levels?${parameters}`, { signal });
    replace(this.levels, levelsTable(several.levels, meanTitle(task)));
    await Promise.all([
      this.chart.draw(several.chart),
      several.distribution_chart && this.values.draw(several.distribution_chart),
    ]);
  }

  // Within each group, or the partners of the key.
  showFurther({ segments, pairs: together }, address) {
    const { key } = this,
      nameOf = (name) => make("a", { href: address(name) }, name);
    this.further.hidden = !segments && !together;
    if (segments)
      replace(
        this.further,
        make("h2", {}, `Within each group: ${segments.name}`),
        groupsOfKey(segments),
        ...(segments.differences.length
          ? [make("h3", {}, "Where it differs"), differencesTable(segments.differences)]
          : [make("p", {}, "For this key, no difference of shares between groups stands out from the noise.")]),
      );
    if (together)
      replace(
        this.further,
        make("h2", {}, "Held together with"),
        ...(together.rows.length
          ? [partnersTable(together.rows, key, nameOf), make("p", {}, LIFT)]
          : [make("p", {}, "No other key stands out together with this one.")]),
      );
  }

  // Of tasks with more than two levels; the threshold begins in their middle.
  showSpread(estimate, task) {
    this.spread.hidden = !estimate.shares;
    if (this.spread.hidden) return;
    this.threshold ??= Math.floor((task.level_values.length - 1) / 2);
    const onthreshold = (level) => {
      this.threshold = level;
    };
    const options = { chart: this.values.element, threshold: this.threshold, onthreshold };
    replace(this.spread, make("h2", {}, "What they say"), ...distributionOf(estimate, task, options));
  }

  stop() {
    this.refresh.stop();
    this.chart.stop();
    this.values.stop();
  }
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

function sentences({ estimate, people, reports, level, hostile, verdict, warning = [] }, task) {
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
          make(
            "strong",
            {},
            estimate.frequency_high < 1 ? `It is ${TOO_RARE}:` : "How many people hold it is unknown:",
          ),
          estimate.frequency_high < 1
            ? ` at most ${share.high} of people hold it, and perhaps none.`
            : " perhaps all, perhaps none.",
        ),
        make("p", {}, `${among}, that is at most ${count(people.high)}.`),
      ];
  return [
    warning.length ? warningBox(warning) : null,
    ...lines,
    hasValues(task) ? make("p", {}, meanSentence(estimate, task)) : null,
    make("p", {}, sure),
    make("p", { class: "soft" }, verdict.slice(warning.length).join(" ")),
  ];
}

function meanSentence(estimate, { low, high, about }) {
  const mean = meanTexts(estimate, about.unit),
    end = (value, label) => (label ? `${value} (${label})` : String(value)),
    scale = `on a scale from ${end(low, about.low_label)} to ${end(high, about.high_label)}`;
  if (!estimate.mean_known && estimate.reported_mean_known) {
    const reported = reportedMeanTexts(estimate, about.unit);
    return `The mean of what they say is ${UNKNOWN}: between ${mean.low} and ${mean.high}, ${scale}, since people with many pairs may say other things. The mean of the reported pairs is ${reported.value}, between ${reported.low} and ${reported.high}.`;
  }
  if (!estimate.mean_known) return `The mean of what they say is ${UNKNOWN}: it may be anything ${scale}.`;
  return `Those who hold it give it ${mean.value} on average, between ${mean.low} and ${mean.high}, ${scale}.`;
}

function improvements({ sharper, reports, estimate, hostile }, task) {
  if (hostile)
    return [make("p", {}, "Fewer hostile reports: what they can do does not shrink as more honest ones come.")];
  const { noise, smallest, hidden, size_answers: answers } = sharper,
    more = `people who hold more than ${heldText(task, task.padding)}`;
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

function levelsTable(estimates, title) {
  const columns = [
    { name: "Right in … of cases" },
    { name: "Share of people", number: true },
    ...(title ? [{ name: title, number: true }] : []),
  ];
  const row = (estimate) => [
    levelText(estimate.level),
    frequencyTexts(estimate)[estimate.detected ? "range" : "most"],
    ...(title ? [estimate.mean_known ? meanTexts(estimate).range : UNKNOWN] : []),
  ];
  const isSoft = ({ detected }) => !detected;
  return new Table({ columns, row, isSoft, kind: "compact levels" }).show(estimates).element;
}
