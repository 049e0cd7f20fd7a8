// How precise the results are, in words and a curve, and how many reports a wanted precision takes.
import { Chart } from "../shared/chart.js";
import { t } from "../shared/language.js";
import { count, debounced, field, make, newestOnly, percent, plural, points, replace, short } from "../shared/page.js";
import { parted } from "../shared/table.js";
import { hasValues } from "../shared/task-words.js";
import { isOutdated } from "./requests.js";

export function precisionSection(requests, task, onproblem) {
  const chart = new Chart(t("Half the range of a share of people, by the number of responses."));
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
    wanted = number("3", "99");
  const element = make(
    "details",
    { class: "card" },
    make("summary", {}, make("h2", {}, t("How many more responses would help"))),
    make(
      "div",
      { class: "row" },
      field(t("For an answer chosen by this share of people, in %"), frequency),
      field(t("Wanted range (± percentage points)"), wanted),
    ),
    said,
    chart.element,
  );

  // Resolves to a function that shows what was loaded.
  async function load(newOptions, signal) {
    options = newOptions;
    const values = { frequency: frequency.valueAsNumber / 100, wanted: wanted.valueAsNumber / 100 };
    if (!frequency.validity.valid || !wanted.validity.valid || Object.values(values).some(Number.isNaN))
      return () => replace(said, make("p", {}, t("Both numbers are above 0; a share is at most 100 %.")));
    // What is known of one key is that of all: those that an analyst named are not sent.
    const answer = await requests.ask("precision", { ...options, ...values }, { signal, keys: null });
    return () => {
      replace(said, ...sentences(answer, task));
      chart.draw(answer.chart).catch(() => {});
    };
  }

  // With new options, or the last ones.
  const refresh = newestOnly(async (signal, newOptions = options) => {
    try {
      const show = await load(newOptions, signal);
      if (!signal.aborted) show();
    } catch (error) {
      if (signal.aborted) return;
      if (isOutdated(error)) onproblem(error);
      else replace(said, make("p", {}, error.message));
    }
  });

  function stop() {
    refresh.stop();
    chart.stop();
  }

  return { element, load, refresh, stop };
}

const RANGES = t("Ranges hold the true number with a confidence of 95 %.");

function sentences(answer, task) {
  return [make("p", {}, today(answer, task)), make("p", {}, ...wanted(answer)), make("p", { class: "soft" }, RANGES)];
}

function today(answer, task) {
  const { smallest, candidates, frequency, half_range: half, hidden, size_answers, padding } = answer;
  const share = percent(frequency),
    least = percent(Number(smallest.toPrecision(2))),
    range = points(half);
  const sentences = [
    smallest >= 1
      ? t("As yet most answers are not distinguishable from noise.")
      : candidates === null
        ? t("Answers chosen by fewer than {least} of people are often not distinguishable from noise.", { least })
        : t(
            "Among {number} answers, those chosen by fewer than {least} of people are often not distinguishable from noise.",
            {
              number: count(candidates),
              least,
            },
          ),
    t("For an answer chosen by {share} of people, the range reaches about {range} to either side.", { share, range }),
  ];
  if (hidden && size_answers) {
    const numbers = { padding: plural(padding, "answer"), hidden: points(hidden) };
    sentences.push(
      hasValues(task)
        ? t(
            "At the upper end, the range of such an answer may reach up to {hidden} further, since people with more than {padding} may hide as much and give other values; the chart counts that, too.",
            numbers,
          )
        : t(
            "At the upper end, the range of such an answer may reach up to {hidden} further, since people with more than {padding} may hide as much; the chart counts that, too.",
            numbers,
          ),
    );
  }
  sentences.push(valueRange(answer, task));
  return sentences.filter(Boolean).join(" ");
}

function valueRange({ half_range_of_mean: half }, task) {
  const { unit } = task.about;
  if (!hasValues(task)) return "";
  if (half === null) return t("Its average rating stays unknown.");
  return unit
    ? t("Its average rating is known to about ±{range} ({unit}).", { range: short(half), unit })
    : t("Its average rating is known to about ±{range}.", { range: short(half) });
}

// What larger sets hide does not shrink with reports: nothing is promised below that.
function wanted(answer) {
  const { needed, needed_for_noise: forNoise, size_answers: answers, padding, surely_hidden: hidden } = answer,
    values = { range: points(answer.wanted), padding: plural(padding, "answer") };
  const noise = reportsNeeded(forNoise, answer.reports);
  const said = (text, elements = {}) => parted(text, { noise, ...elements });
  if (needed === forNoise) return said(t("A range of ±{range} takes {noise}.", values));
  if (needed !== null) {
    const all = reportsNeeded(Number(needed.toPrecision(2)), answer.reports);
    return said(
      t(
        "A range of ±{range} takes about {all}, if people have as many answers as responses say so far; for the noise alone {noise}.",
        values,
      ),
      { all },
    );
  }
  if (!answers) {
    return said(
      answer.asks_sizes
        ? t(
            "A range of ±{range} takes {noise}, if no participant has more than {padding}; how many people do is not known yet.",
            values,
          )
        : t(
            "A range of ±{range} takes {noise}, if no participant has more than {padding}; how many people do is not asked.",
            values,
          ),
    );
  }
  return said(
    hidden >= answer.wanted
      ? t(
          "A range of ±{range} cannot be promised, however many responses come: too many people have more than {padding}. The noise alone takes {noise}.",
          values,
        )
      : t(
          "A range of ±{range} cannot be promised as yet: people with more than {padding} may hide more than that. The noise alone takes {noise}.",
          values,
        ),
  );
}

function reportsNeeded(needed, reports) {
  const ratio = needed / reports,
    number = make("strong", {}, plural(needed, "response"));
  if (ratio <= 1) return make("span", {}, ...parted(t("{number} (they are there already)"), { number }));
  return make(
    "span",
    {},
    ...parted(t("{number} ({ratio} times as many as today)", { ratio: short(ratio) }), { number }),
  );
}
