// How precise the results are, in words and a curve, and how many reports a wanted precision takes.
import { Chart } from "../shared/chart.js";
import {
  ask,
  count,
  debounced,
  field,
  make,
  newestOnly,
  percent,
  plural,
  points,
  query,
  replace,
  short,
} from "../shared/page.js";
import { TOO_RARE } from "../shared/ranges.js";
import { hasValues, heldText } from "../shared/task-words.js";

export function precisionSection(path, task) {
  const chart = new Chart("Typical error of the share of people who hold a key, against the number of reports.");
  const said = make("div", { "aria-live": "polite" });
  let options = {};
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

  // With new options, or the last ones.
  const refresh = newestOnly(async (signal, newOptions = options) => {
    options = newOptions;
    const values = { frequency: frequency.valueAsNumber / 100, wanted: wanted.valueAsNumber / 100 };
    if (!frequency.validity.valid || !wanted.validity.valid || Object.values(values).some(Number.isNaN)) {
      replace(said, make("p", {}, "Both numbers are above 0; a share is at most 100 %."));
      return;
    }
    try {
      const answer = await ask("GET", `${path}/precision?${query({ ...options, ...values })}`, { signal });
      replace(said, ...sentences(answer, task));
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

function sentences(answer, task) {
  return [make("p", {}, today(answer, task)), make("p", {}, ...wanted(answer, task))];
}

function today(answer, task) {
  const { reports, smallest, candidates, frequency, frequency_error, hidden, size_answers } = answer;
  if (!reports) return "There are no reports yet.";
  const off = `The share of a key that ${percent(frequency)} of people hold is typically off by ±${points(frequency_error)}`;
  const keys = candidates === null ? "Keys" : `Among ${plural(candidates, "candidate")}, keys`;
  const rare =
    smallest < 1
      ? `${keys} that fewer than ${percent(Number(smallest.toPrecision(2)))} of people hold are often ${TOO_RARE}.`
      : `As yet all keys are often ${TOO_RARE}.`;
  const noise = `There are ${count(reports)} reports. ${rare} ${off}${meanError(answer, task)}.`;
  if (!hidden || !size_answers) return noise;
  const values = hasValues(task) ? ", and may give other values" : "";
  return `${noise} People who hold more than ${heldText(task, answer.padding)} may hide up to ${points(hidden)} of its share, which the chart counts, too${values}.`;
}

function meanError({ mean_error: error, guessed_mean_error: guessed }, task) {
  const { unit } = task.about;
  if (!hasValues(task)) return "";
  return error < guessed
    ? `, and its mean by ±${short(error)}${unit ? ` ${unit}` : ""}`
    : ", and its mean stays unknown";
}

// What larger sets hide does not shrink with reports: nothing is promised below that.
function wanted(answer, task) {
  const error = `An error of ±${points(answer.wanted)}`,
    more = `more than ${heldText(task, answer.padding)}`;
  const noise = reportsNeeded(answer.needed_for_noise, answer.reports);
  if (answer.needed === answer.needed_for_noise) return [`${error} takes `, ...noise, "."];
  if (answer.needed !== null) {
    const needed = reportsNeeded(Number(answer.needed.toPrecision(2)), answer.reports);
    return [
      `${error} takes about `,
      ...needed,
      ` if sizes are what today's answers say, and for the noise alone `,
      ...noise,
      ".",
    ];
  }
  if (!answer.size_answers) {
    const known = answer.asks_sizes ? "is not known yet" : "is not asked";
    return [`${error} takes `, ...noise, ` if no participant holds ${more}; how many people do ${known}.`];
  }
  const why =
    answer.surely_hidden >= answer.wanted
      ? `cannot be promised, however many reports come: too many people hold ${more}. A task with a longer padding would hide less.`
      : `cannot be promised as yet: by the answers so far, people who hold ${more} may hide more than that.`;
  return [`${error} ${why} The noise alone takes `, ...noise, "."];
}

function reportsNeeded(needed, reports) {
  const ratio = needed / Math.max(1, reports);
  const left = ratio <= 1 ? ", which are there already" : reports ? `, ${short(ratio)} times as many as today` : "";
  return [make("strong", {}, `${count(needed)} reports`), left];
}
