// Reports per day or per round, as a small bar chart without axes: a sentence below it has the numbers.
import { Chart } from "../shared/chart.js";
import { make } from "../shared/page.js";

const HEIGHT = 60,
  // A few bars do not fill the whole width.
  MIN_BARS = 14,
  COLOUR = "#3367a8";

export class ReportBars {
  constructor() {
    this.chart = new Chart("");
    this.said = make("small");
    this.drawn = "";
    this.element = make("div", { class: "days", hidden: true }, this.chart.element, this.said);
  }

  // `bars` have a number of reports and what is told of it. Without the script there is only the sentence.
  show(bars, sentence) {
    this.element.hidden = !bars.length;
    if (!bars.length) return;
    this.said.textContent = sentence;
    this.chart.description = sentence;
    // The same bars are not drawn again, which would hide a tooltip.
    const content = JSON.stringify(bars);
    if (content === this.drawn) return;
    this.chart.draw(specification(bars)).then(
      () => (this.drawn = content),
      () => {},
    );
  }

  stop() {
    this.chart.stop();
  }
}

function specification(bars) {
  const places = Array.from({ length: Math.max(MIN_BARS, bars.length) }, (_, place) => place);
  const encoding = {
    x: { field: "place", type: "ordinal", scale: { domain: places }, axis: null },
    y: { field: "reports", type: "quantitative", axis: null },
    tooltip: { field: "words" },
  };
  const values = bars.map(({ reports, words }, place) => ({ reports, words, place })),
    mark = { type: "bar", color: COLOUR };
  return {
    hconcat: [{ height: HEIGHT, view: { stroke: null }, layer: [{ data: { values }, mark, encoding }] }],
  };
}
