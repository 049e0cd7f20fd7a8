// Bars with their ranges, drawn without any library: the first chart of a task is there with its numbers.
import { shownText } from "../shared/direction.js";
import { t } from "../shared/language.js";
import { count, make, replace } from "../shared/page.js";
import { named } from "../shared/table.js";

const SVG = "http://www.w3.org/2000/svg";
const MAX_STEPS = 4,
  // The method that learns from all keys together.
  LEARNING = "bayes";

function drawing(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// A scale of shares: from 0 to a round number above all of them, with its ticks.
export function shareScale(rows) {
  const most = Math.min(1, Math.max(0.01, ...rows.map(({ high }) => high))),
    steps = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25],
    step = steps.find((each) => most / each <= MAX_STEPS) ?? 0.25,
    parts = Math.ceil(most / step - 1e-9),
    ticks = Array.from({ length: parts + 1 }, (_, place) => step * place);
  return { low: 0, high: step * parts, ticks, text: (share) => `${count(Number((100 * share).toFixed(2)))} %` };
}

// A scale of values between the two ends of what people may give, which may have names, as may its middle; not where the
// middle level is elsewhere. Public results list levels only where there are more than two.
export function valueScale({ low, high, level_values: levels = [], about }) {
  const { low_label: lowest, middle_label: middle, high_label: highest } = about,
    isHalfway =
      levels.length % 2 === 0 || Math.abs(levels[(levels.length - 1) / 2] - (low + high) / 2) < (high - low) / 1e6,
    names = [lowest, isHalfway ? middle : "", highest];
  const ticks = [0, 1, 2, 3, 4].map((part) => low + ((high - low) * part) / 4);
  return { low, high, ticks, text: (value) => count(Number(value.toPrecision(3))), names };
}

// A row has a `name`, the `words` that tell all of it, and what is drawn: a `value` with its `low` and `high` ends, or
// only the range where the value is not `known`. `mark` is another value, for comparison.
export function bars(rows, scale, { label, isBar = true }) {
  const list = make("ul", { class: "bar-rows" }, ...rows.map((row) => barRow(row, scale, isBar)));
  return make("div", { class: "bars", role: "group", "aria-label": label }, list, axis(scale));
}

const place = (number, { low, high }) =>
  `${Math.min(100, Math.max(0, (100 * (number - low)) / (high - low))).toFixed(2)}%`;

const across = (from, to, scale) =>
  `${Math.max(0, Number.parseFloat(place(to, scale)) - Number.parseFloat(place(from, scale))).toFixed(2)}%`;

function barRow(row, scale, isBar) {
  const { name, value, low, high, mark, known, shown, words } = row,
    at = (number) => place(number, scale),
    title = t("{name}: {words}", { name, words });
  const parts = scale.ticks.map((tick) =>
    drawing("line", { class: "bar-grid", x1: at(tick), x2: at(tick), y1: 0, y2: "100%" }),
  );
  if (isBar && known)
    parts.push(
      drawing("rect", { class: "bar-fill", x: 0, y: "20%", width: across(scale.low, value, scale), height: "60%" }),
    );
  if (low < high) parts.push(drawing("line", { class: "bar-range", x1: at(low), x2: at(high), y1: "50%", y2: "50%" }));
  if (mark !== undefined)
    parts.push(drawing("line", { class: "bar-mark", x1: at(mark), x2: at(mark), y1: "10%", y2: "90%" }));
  if (known) parts.push(drawing("circle", { class: "bar-value", cx: at(value), cy: "50%", r: 4 }));
  const picture = drawing("svg", { role: "img", "aria-label": title }, ...parts);
  return make(
    "li",
    { class: known ? null : "faint", tabindex: 0 },
    make("span", { class: "bar-name", title: shownText(name) }, named(name)),
    make("span", { class: "bar-plot" }, picture),
    make("span", { class: "bar-number", "aria-hidden": "true" }, shown),
    make("span", { class: "bar-tip", "aria-hidden": "true" }, named(name), `: ${words}`),
  );
}

function axis(scale) {
  // The first begins where the scale does: on a phone, that is the edge.
  const places = scale.ticks.map((tick, number) =>
    drawing("text", { x: place(tick, scale), y: "70%", "text-anchor": number ? "middle" : "start" }, scale.text(tick)),
  );
  const names = scale.names?.some(Boolean)
    ? make("div", { class: "bar-names" }, ...scale.names.map((name) => make("span", {}, named(name))))
    : null;
  const labels = make("div", { class: "bar-labels" }, drawing("svg", {}, ...places), names);
  return make("div", { class: "bar-axis", "aria-hidden": "true" }, labels);
}

// How to read the picture of shares, and of values: only what it draws.
export function readingOf([shares, values], { level, method }) {
  const rows = [shares, values].flatMap((panel) => panel?.rows ?? []),
    averages = values?.rows.filter(({ known }) => known) ?? [],
    sentences = [
      rows.some(({ known }) => known) && t("Dot: the number."),
      t("Line: the range that holds the true number with a confidence of {level}.", { level }),
      shares.rows.some(({ known }) => !known) && t("Grey: not clearly above zero."),
      method.split("+")[0] === LEARNING &&
        averages.length > 1 &&
        t(
          "Averages are estimated together: where ranges are wide, averages tend to lie closer to each other than the true ones.",
        ),
    ];
  return sentences.filter(Boolean).join(" ");
}

// A figure whose content is replaced only if it changed, so that a focus or a tooltip stays.
export class BarsFigure {
  constructor() {
    this.place = make("div");
    this.caption = make("figcaption");
    this.element = make("figure", { class: "chart bars-chart" }, this.place, this.caption);
    this.shown = "";
  }

  // `panels` have rows, a scale and options, and may have a title.
  show(panels, caption) {
    const text = JSON.stringify([panels, caption]);
    if (text === this.shown) return;
    this.shown = text;
    const drawn = panels.map(({ title, rows, scale, ...options }) =>
      make(
        "div",
        { class: "bar-panel" },
        title ? make("p", { class: "bar-title" }, named(title)) : null,
        bars(rows, scale, options),
      ),
    );
    replace(this.place, make("div", { class: drawn.length > 1 ? "bar-panels" : null }, ...drawn));
    this.caption.textContent = caption;
  }
}
