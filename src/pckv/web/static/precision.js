// How errors shrink with reports, and how many reports a wanted error takes.
import { Chart } from "./chart.js";
import { ask, count, field, make, newestOnly, percent, query, replace, debounced, short } from "./page.js";

export function precisionSection(path) {
  const chart = new Chart("Expected errors of a frequency and of a mean against the number of reports.");
  const said = make("div", { "aria-live": "polite" });
  const number = (value, max) =>
    make("input", {
      type: "number",
      inputmode: "decimal",
      min: "0.0001",
      max,
      step: "any",
      value,
      oninput: debounced(() => refresh()),
    });
  const frequency = number("5", "100"),
    wanted = number("1", "99");
  const element = make(
    "section",
    { "aria-label": "Precision" },
    make("h2", {}, "Precision"),
    make(
      "div",
      { class: "row" },
      field("For a key that this share of people hold, in %", frequency),
      field("Wanted error, in percentage points", wanted),
    ),
    said,
    chart.element,
  );

  const refresh = newestOnly(async (signal) => {
    const values = { frequency: frequency.valueAsNumber / 100, wanted: wanted.valueAsNumber / 100 };
    if (!frequency.validity.valid || !wanted.validity.valid || Object.values(values).some(Number.isNaN)) {
      replace(said, make("p", {}, "Both numbers are above 0; a frequency is at most 100 %."));
      return;
    }
    try {
      const answer = await ask("GET", `${path}/precision?${query(values)}`, { signal });
      replace(said, ...sentences(answer));
      await chart.draw(answer.chart);
    } catch (error) {
      if (!signal.aborted) replace(said, make("p", {}, error.message));
    }
  });

  function stop() {
    refresh.stop();
    chart.stop();
  }

  return { element, refresh, stop };
}

function sentences(answer) {
  const today = answer.reports
    ? `With today's ${count(answer.reports)} reports: ±${percent(answer.frequency_error)} of all people for the frequency, ±${short(answer.mean_error)} for the mean (one standard deviation, method corrected).`
    : "There are no reports yet.";
  const ratio = answer.needed / Math.max(1, answer.reports);
  const left = ratio <= 1 ? "which are there already" : answer.reports ? `${short(ratio)} times as many as today` : "";
  return [
    make("p", {}, today),
    make(
      "p",
      {},
      `An error of ±${percent(answer.wanted)} takes `,
      make("strong", {}, `${count(answer.needed)} reports`),
      left ? `, ${left}.` : ".",
    ),
  ];
}
