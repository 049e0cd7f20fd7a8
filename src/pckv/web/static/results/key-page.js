// One key: how many people hold it, what they say, how sure that is, and what would make it sharper.
import { withSettings } from "../shared/address.js";
import { Chart } from "../shared/chart.js";
import { shownText } from "../shared/direction.js";
import { term } from "../shared/glossary.js";
import { t } from "../shared/language.js";
import { told, toldVerdict } from "../shared/told.js";
import { isOutdated, MAX_RENEWALS } from "./requests.js";
import { distributionOf } from "./distribution.js";
import { noResponses } from "./finding.js";
import { changedOptions, levelText, readOptions } from "./estimate-options.js";
import {
  alertBox,
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
import { ask } from "../shared/request.js";
import { endText, frequencyTexts, meanTexts, meanTitle, reportedMeanTexts, UNKNOWN } from "../shared/ranges.js";
import { LIFT, partnersTable } from "./pairs.js";
import { differencesTable, groupsOfKey } from "./segments.js";
import { named, parted, Table } from "../shared/table.js";
import { hasValues } from "../shared/task-words.js";

// No lighter privacy level than this one is advised.
const LIGHTEST = 3;
const TOO_FAST = t("New responses come faster than this page is computed. Load it again in a while.");

export function keyView(root, id, key, settings) {
  document.title = `${shownText(key)} – pckv`;
  const view = new KeyView(root, id, key, settings);
  view.refresh();
  return () => view.stop();
}

const section = (title, ...content) => make("section", { "aria-label": title }, make("h2", {}, title), ...content);

class KeyView {
  constructor(root, id, key, settings) {
    Object.assign(this, { id, key, settings, renewals: 0, path: `/tasks/${encodeURIComponent(id)}` });
    this.chart = new Chart("");
    this.values = new Chart(t("Shares of the values of those who chose the answer, and quantiles, with their ranges."));
    this.said = make("div");
    this.top = make("div");
    this.levels = make("div");
    this.told = make("div", { "aria-live": "polite" });
    this.spread = make("section", { "aria-label": t("What they say"), hidden: true });
    this.further = make("section", { "aria-label": t("Groups, and what is chosen with it"), hidden: true });
    this.sharper = make("div");
    // Several ranges take a few seconds, in which their place is kept.
    this.computing = make("p", { class: "computing", role: "status" }, t("Computing the ranges …"));
    const surer = make("p", {}, t("The surer a range is to hold the true number, the wider it is."));
    const ranges = make("div", { class: "reserved" }, this.computing, this.chart.element, this.levels);
    this.body = make(
      "div",
      { hidden: true },
      section(t("What is known"), this.told),
      this.spread,
      this.further,
      section(t("How sure that is"), surer, ranges),
      section(t("What would make it sharper"), this.sharper),
    );
    replace(root, this.top, this.said, this.body);
  }

  refresh = newestOnly(async (signal) => {
    try {
      const task = await ask("GET", `${this.path}/overview`, { signal });
      await this.show(task, readOptions(task, this.settings), signal);
    } catch (error) {
      if (signal.aborted) return;
      if (isOutdated(error) && this.renewals++ < MAX_RENEWALS) this.refresh();
      else {
        this.computing.hidden = true;
        replace(this.said, alertBox(isOutdated(error) ? TOO_FAST : error.message));
      }
    }
  });

  async show(task, options, signal) {
    const { id, key, path } = this,
      parameters = query({ ...options, name: key }),
      heading = [back(task, options), make("h1", {}, named(key))];
    document.title = `${shownText(key)} – ${shownText(task.name)} – pckv`;
    replace(this.top, ...heading);
    this.chart.description = t("What is known of the answer, with ranges of several confidences.");
    if (!task.reports)
      return replace(
        this.said,
        make("p", { class: "note" }, `${noResponses(task)} ${t("Nothing is known of this answer.")}`),
      );
    const answer = await ask("GET", `${path}/key?${parameters}`, { signal }),
      address = (name) => withSettings(keyAddress(id, name), changedOptions(task, options));
    replace(this.top, ...heading, neighbours(answer, address));
    replace(this.told, ...sentences(answer, task));
    replace(this.sharper, ...improvements(answer, task));
    this.showSpread(answer.estimate, task);
    this.showFurther(answer, address);
    this.body.hidden = false;
    // From the same reports, although others may have come.
    const { snapshot } = answer,
      several = await ask("GET", `${path}/key/levels?${query({ ...options, name: key, snapshot })}`, { signal });
    replace(this.levels, levelsTable(several.levels, meanTitle(task)));
    await Promise.all([
      this.chart.draw(several.chart),
      several.distribution_chart && this.values.draw(several.distribution_chart),
    ]);
    this.computing.hidden = true;
  }

  // Within each group, or the partners of the key.
  showFurther({ segments, pairs: together }, address) {
    const { key } = this,
      nameOf = (name) => make("a", { href: address(name) }, named(name));
    this.further.hidden = !segments && !together;
    if (segments)
      replace(
        this.further,
        make("h2", {}, t("Within each group: {name}", { name: segments.name })),
        groupsOfKey(segments),
        ...(segments.differences.length
          ? [make("h3", {}, t("Where it differs")), differencesTable(segments.differences)]
          : [make("p", {}, t("For this answer, no difference between groups stands out from the noise."))]),
      );
    if (together)
      replace(
        this.further,
        make("h2", {}, t("Chosen together with")),
        ...(together.rows.length
          ? [partnersTable(together.rows, key, nameOf), make("p", {}, LIFT)]
          : [make("p", {}, t("No other answer stands out together with this one."))]),
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
    replace(this.spread, make("h2", {}, t("What they say")), ...distributionOf(estimate, task, options));
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
  return make("p", {}, make("a", { href: address }, "← ", named(task.name)));
}

// The keys before and after this one in the order of their shares.
function neighbours({ estimate, rank, keys, previous, next }, address) {
  if (rank === null) return null;
  const link = (name, ...label) => (name === null ? null : make("a", { href: address(name) }, ...label));
  return make(
    "nav",
    { class: "neighbours", "aria-label": t("Other answers") },
    // Noise alone decides the order of those that may be zero.
    estimate.detected
      ? make("span", {}, t("Number {rank} of {all} by share", { rank: count(rank), all: count(keys) }))
      : null,
    link(previous, "‹ ", named(previous)),
    link(next, named(next), " ›"),
  );
}

function sentences({ estimate, people, reports, level, hostile, verdict, warning = [] }, task) {
  const share = frequencyTexts(estimate),
    values = { confidence: levelText(level), hostile: count(hostile ?? 0) };
  const sure = hostile
    ? t("Confidence of the ranges: {confidence}, whatever {hostile} of the responses say.", values)
    : t("Confidence of the ranges: {confidence}.", values);
  return [
    warning.length ? warningBox(warning.map(told)) : null,
    ...shareSentences(estimate, share, people, reports),
    hasValues(task) ? make("p", {}, meanSentence(estimate, task)) : null,
    make("p", {}, sure),
    make("p", { class: "soft" }, toldVerdict(verdict.slice(warning.length), task).join(" ")),
  ];
}

function shareSentences(estimate, share, people, reports) {
  const numbers = {
    all: count(reports),
    about: count(people.estimate),
    low: count(people.low),
    high: count(people.high),
  };
  const answer = (text, shown) => make("p", { class: "answer" }, ...parted(text, { shown: make("strong", {}, shown) }));
  if (estimate.detected)
    return [
      answer(t("{shown} chose it: {between}.", { between: share.between }), t("{value} of people", share)),
      make(
        "p",
        {},
        t("Of the {all} people who responded, these are about {about}: between {low} and {high}.", numbers),
      ),
    ];
  const upTo = make("p", {}, t("Of the {all} people who responded, these are at most {high}.", numbers));
  if (estimate.frequency_high >= 1)
    return [answer(t("{shown} perhaps all, perhaps none."), t("How many people chose it is unknown:")), upTo];
  return [
    answer(
      t("{shown} at most {high} of people chose it, and perhaps none.", share),
      t("It is not distinguishable from noise:"),
    ),
    upTo,
  ];
}

function meanSentence(estimate, { low, high, about }) {
  const mean = meanTexts(estimate, about.unit),
    end = (value, label) => endText(count(value), label),
    values = {
      value: mean.value,
      between: mean.between,
      first: end(low, about.low_label),
      last: end(high, about.high_label),
    };
  if (estimate.mean_known)
    return t("Those who chose it give it {value} on average, {between}, on a scale from {first} to {last}.", values);
  if (!estimate.reported_mean_known) {
    const isNarrower = estimate.detected && (estimate.mean_low > low || estimate.mean_high < high);
    return isNarrower
      ? t("The average of what they say is unknown: {between}, on a scale from {first} to {last}.", values)
      : t("The average of what they say is unknown: it may be anything on a scale from {first} to {last}.", values);
  }
  const reported = reportedMeanTexts(estimate, about.unit);
  return t(
    "The average of what they say is unknown: {between}, on a scale from {first} to {last}, since people with many answers may say other things. The average of the answers that were reported is {reported}, {reportedBetween}.",
    { ...values, reported: reported.value, reportedBetween: reported.between },
  );
}

function improvements({ sharper, reports, estimate, hostile }, task) {
  if (hostile)
    return [make("p", {}, t("Fewer forged responses: what they can do does not shrink as more honest ones come."))];
  const { noise, smallest, hidden, size_answers: answers } = sharper,
    values = {
      noise: points(noise),
      more: count(4 * reports),
      least: percent(Number(smallest.toPrecision(2))),
      hidden: points(hidden),
      padding: plural(task.padding, "answer"),
    };
  const lines = [
    [
      t(
        "More responses: with today's, noise alone gives the share a range of ±{noise}. Four times as many, {more}, would halve that.",
        values,
      ),
    ],
    estimate.detected
      ? null
      : [t("Answers chosen by fewer than {least} of people are often not distinguishable from noise as yet.", values)],
    hidden && answers
      ? [
          t(
            "A new survey in which more answers of a person count: people with more than {padding} may hide up to {hidden} of it.",
            values,
          ),
        ]
      : null,
    hidden && !answers
      ? [t("How many people have more than {padding} is not known: they hide a part of it.", values)]
      : null,
    Number(task.epsilon) < LIGHTEST
      ? parted(t("A new survey with a lighter {level}, which promises people less."), {
          level: term("privacy-level", t("privacy level")),
        })
      : null,
  ];
  return [make("ul", {}, ...lines.filter(Boolean).map((line) => make("li", {}, ...line)))];
}

function levelsTable(estimates, title) {
  const columns = [
    { name: t("Confidence") },
    { name: t("Chosen by"), number: true },
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
