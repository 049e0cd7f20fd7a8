// The plan for what a form says: what would be run, which errors to expect, and what they come to.
import { Chart } from "./chart.js";
import { ask, count, make, newestOnly, pairs, percent, points, query, replace, short } from "./page.js";

export function planSection() {
  const byEpsilon = new Chart("Expected errors against ε."),
    byUsers = new Chart("Expected errors against the number of people.");
  const said = make("div", { "aria-live": "polite" }),
    about = make("p");
  const curves = make(
    "div",
    { hidden: true },
    about,
    make("h3", {}, "With another ε"),
    byEpsilon.element,
    make("h3", {}, "With more or fewer people"),
    byUsers.element,
  );
  const element = make("section", { "aria-label": "Plan" }, make("h2", {}, "The plan"), said, curves);

  function wait(text) {
    show.stop();
    curves.hidden = true;
    replace(said, make("p", {}, text));
  }

  const show = newestOnly(async (signal, values) => {
    try {
      const answer = await ask("GET", `/plan?${query(values)}`, { signal });
      replace(said, ...sentences(answer.plan));
      about.textContent = `The curves are for a key that ${percent(answer.plan.frequency)} of people hold, a typical one of those that matter.`;
      curves.hidden = false;
      await Promise.all([byEpsilon.draw(answer.by_epsilon), byUsers.draw(answer.by_users)]);
    } catch (error) {
      if (!signal.aborted) wait(error.message);
    }
  });

  return {
    element,
    show,
    wait,
    stop() {
      show.stop();
      byEpsilon.stop();
      byUsers.stop();
    },
  };
}

function sentences(plan) {
  return [
    make(
      "p",
      {},
      make("strong", {}, plan.mechanism),
      ` with padding ${count(plan.padding)}, ${count(plan.bytes_per_report)} bytes per report. Each stands for up to ${pairs(plan.padding)}. `,
      larger(plan),
    ),
    make("p", {}, plan.assumed),
    make(
      "p",
      {},
      `Expected errors with ${count(plan.users)} people (one standard deviation, method corrected); a guess of a mean would be off by ±${short(plan.guessed_mean_error)}:`,
    ),
    errorsTable(plan),
    make("p", {}, hostile(plan)),
    make("p", { class: "note verdict" }, plan.verdict),
  ];
}

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

// A mean whose error is that of guessing is unknown.
function errorsTable(plan) {
  const row = ({ rank, frequency, frequency_error, mean_error }) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, `${rank ? `number ${rank}` : "a rarer one"}: ${percent(frequency)}`),
      make("td", { class: "number" }, `±${points(frequency_error)}`),
      make("td", { class: "number" }, mean_error < plan.guessed_mean_error ? `±${short(mean_error)}` : "unknown"),
    );
  const head = ["Key", "Frequency", "Mean"].map((name, column) =>
    make("th", { scope: "col", class: column ? "number" : null }, name),
  );
  return make(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Expected errors" },
    make(
      "table",
      { class: "compact" },
      make("thead", {}, make("tr", {}, ...head)),
      make("tbody", {}, ...plan.errors.map(row)),
    ),
  );
}
