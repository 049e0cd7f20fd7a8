// How the error shrinks with reports, and how many a wanted error takes.
import { Chart } from "./chart.js";
import { ask, count, field, make, newestOnly, percent, query, replace, settled, short } from "./page.js";

export function precisionSection(path) {
  const chart = new Chart("Expected errors of a frequency and of a mean against the number of reports.");
  const said = make("div", { "aria-live": "polite" });
  const number = (value, most) =>
    make("input", {
      type: "number",
      inputmode: "decimal",
      min: "0.0001",
      max: most,
      step: "any",
      value,
      oninput: settled(() => refresh()),
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
      field("Of a key that so many % hold", frequency),
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
      const found = await ask("GET", `${path}/precision?${query(values)}`, { signal });
      replace(said, ...sentences(found));
      await chart.draw(found.chart);
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

function sentences(found) {
  const today = found.reports
    ? `With today's ${count(found.reports)} reports: ±${percent(found.frequency_error)} of all people for the frequency, ±${short(found.mean_error)} for the mean (one standard deviation, method corrected).`
    : "There are no reports yet.";
  const ratio = found.needed / Math.max(1, found.reports);
  const left = ratio <= 1 ? "which are there" : found.reports ? `${short(ratio)} times as many as today` : "";
  return [
    make("p", {}, today),
    make(
      "p",
      {},
      `An error of ±${percent(found.wanted)} takes `,
      make("strong", {}, `${count(found.needed)} reports`),
      left ? `, ${left}.` : ".",
    ),
  ];
}
