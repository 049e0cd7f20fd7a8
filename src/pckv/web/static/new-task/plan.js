// The plan for what a form says: a light, what to expect in words, and the rest behind a disclosure.
import { Chart } from "../shared/chart.js";
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
  short,
} from "../shared/page.js";
import { Table } from "../shared/table.js";

export class PlanSection {
  // `change` is called by whoever wants to change what the plan assumes.
  constructor(change) {
    Object.assign(this, { change, newest: null });
    this.byEpsilon = new Chart("Expected errors against ε.");
    this.byUsers = new Chart("Expected errors against the number of people.");
    this.said = make("div", { "aria-live": "polite" });
    this.facts = make("div");
    this.curves = make("div");
    const summary = make("summary", {}, "Details"),
      attributes = { hidden: true, ontoggle: () => this.draw() };
    this.details = make("details", attributes, summary, this.facts, this.curves);
    this.busy = make("small", { role: "status" });
    const title = make("h2", {}, "What to expect ", this.busy);
    this.element = make("section", { class: "plan", "aria-label": "Plan" }, title, this.said, this.details);
  }

  wait(text) {
    this.show.stop();
    this.busy.textContent = "";
    this.details.hidden = true;
    replace(this.said, make("p", {}, "The plan appears here."), make("p", { class: "aside" }, text));
  }

  // `round`, if it is not empty, says that the plan is for one round of several.
  show = newestOnly(async (signal, { kind, ...values }, round = "") => {
    this.busy.textContent = "planning …";
    try {
      if (kind === "discovery") {
        this.showDiscovery(await ask("GET", `/plan/discovery?${query(values)}`, { signal }));
        return;
      }
      this.newest = await ask("GET", `/plan?${query(values)}`, { signal });
      replace(this.said, ...atFirstSight(this.newest, this.change), round ? make("p", {}, round) : null);
      replace(this.facts, ...sentences(this.newest));
      this.details.hidden = false;
      await this.draw();
    } catch (error) {
      if (signal.aborted) return;
      this.details.hidden = true;
      replace(this.said, alertBox(error.detail ?? error.message));
    } finally {
      if (!signal.aborted) this.busy.textContent = "";
    }
  });

  showDiscovery(plan) {
    this.details.hidden = true;
    replace(this.said, ...discoverySentences(plan).map((sentence) => make("p", {}, sentence)));
  }

  // The script that draws is large: it is loaded for whoever opens the details.
  async draw() {
    const { details, newest, byEpsilon, byUsers } = this;
    if (!details.open || details.hidden) return;
    const typical = `The curves are for a key that ${percent(newest.plan.frequency)} of people hold, a typical one of the most frequent.`;
    replace(
      this.curves,
      make("p", {}, typical),
      make("h3", {}, "With another ε"),
      byEpsilon.element,
      make("h3", {}, "With more or fewer people"),
      byUsers.element,
    );
    try {
      await Promise.all([byEpsilon.draw(newest.by_epsilon), byUsers.draw(newest.by_users)]);
    } catch (error) {
      replace(this.curves, alertBox(error.message));
    }
  }

  stop() {
    this.show.stop();
    this.byEpsilon.stop();
    this.byUsers.stop();
  }
}

function discoverySentences({ frequency, characters, groups, users, epsilon }) {
  const where = `${count(users)} people are in ${plural(groups, "group")}, each of which reports prefixes of another length, at ε ${short(epsilon)}.`;
  if (frequency >= 1) return ["Too few people for this ε: perhaps nothing is found.", where];
  return [
    `A text of ${plural(characters, "character")} that ${percent(frequency)} of the people hold is found four times out of five; shorter ones are found at lower shares.`,
    `${where} More people, a larger ε or fewer characters find rarer texts.`,
  ];
}

function atFirstSight({ outlook, plan }, change) {
  return [
    make(
      "p",
      { class: `light ${outlook.light}` },
      make("span", { class: "lamp", "aria-hidden": "true" }),
      make("strong", {}, outlook.words),
    ),
    make("p", {}, outlook.sentence),
    plan.levels ? make("p", { id: "level-cost" }, levelCost(plan.levels)) : null,
    make("p", { class: "verdict" }, plan.verdict),
    make(
      "p",
      { class: "aside" },
      `${plan.assumed} `,
      make("button", { type: "button", class: "plain", onclick: change }, "Change what is assumed"),
    ),
  ];
}

// What more than two levels cost.
function levelCost({ values, cost }) {
  const times = (factor) => `${short(Number(factor.toPrecision(2)))} times`;
  return `${count(values.length)} levels instead of two make errors larger: ${times(cost.frequency)} for shares of people, ${times(cost.mean_middle)} for means in the middle of the range, and ${times(cost.mean_near_ends)} near its ends. With bayes, the default method, means may also become more precise.`;
}

function sentences({ outlook, plan }) {
  return [
    make("p", { class: "aside" }, outlook.rule),
    make(
      "p",
      {},
      make("strong", {}, plan.mechanism),
      ` with padding ${count(plan.padding)}, ${count(plan.bytes_per_report)} bytes per report. Each stands for up to ${pairs(plan.padding)}. `,
      larger(plan),
    ),
    make(
      "p",
      {},
      `Expected errors with ${count(plan.users)} people (one standard deviation, method corrected); a guess of a mean would be off by ±${short(plan.guessed_mean_error)}:`,
    ),
    errorsTable(plan),
    plan.levels ? make("p", {}, guessedShares(plan.levels)) : null,
    make("p", {}, hostile(plan)),
  ];
}

const guessedShares = ({ guessed_share_error: guessed }) =>
  `The last column is the share of one level among those who hold the key; a guess that all levels have the same would be off by ±${points(guessed)}.`;

function hostile({ coin: drawn, hostile: { own_function: own, server_coin: coin } }) {
  const gain = ({ people, one_percent, ten_keys }, most) =>
    `Hostile reports: a single one counts as ${most}${short(people)} people for a key; one in a hundred can raise a key by ${points(one_percent)}, ten keys by ${points(ten_keys)} in all`;
  if (drawn === "server") return `${gain(coin, "")}, on average over what the collector draws.`;
  return `${gain(own, "up to ")}${coin ? ` (${points(coin.ten_keys)} if the collector draws the random functions)` : ""}.`;
}

function larger(plan) {
  if (plan.more === "refuse") return `Nobody may hold more: people choose up to ${count(plan.padding)}.`;
  if (plan.padding >= plan.keys) return "Nobody can hold more.";
  const sampled = `Of somebody who holds more, a random choice of ${count(plan.padding)} is reported.`;
  if (!plan.size_share) return `${sampled} Nobody is asked how many pairs they hold.`;
  return `${sampled} ${percent(plan.size_share)} of the reports say roughly how many pairs somebody holds instead of which; that makes the errors ${percent(plan.size_cost - 1)} larger.`;
}

// What is as far off as a guess is unknown.
function errorsTable(plan) {
  const { levels } = plan,
    names = ["Frequency", "Mean", ...(levels ? ["One level"] : [])],
    columns = [{ name: "Key" }, ...names.map((name) => ({ name, number: true }))];
  const row = ({ rank, frequency, frequency_error, mean_error, share_error }) => [
    `${rank ? `number ${rank}` : "a rarer one"}: ${percent(frequency)}`,
    `±${points(frequency_error)}`,
    mean_error < plan.guessed_mean_error ? `±${short(mean_error)}` : "unknown",
    ...(levels ? [share_error < levels.guessed_share_error ? `±${points(share_error)}` : "unknown"] : []),
  ];
  const table = new Table({ columns, row, kind: "compact errors", label: "Expected errors" });
  return table.show(plan.errors).element;
}
