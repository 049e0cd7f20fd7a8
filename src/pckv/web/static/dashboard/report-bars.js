// Reports per day or per round, as a small bar chart without axes: a sentence below it has the numbers.
import { make } from "../shared/page.js";

const SVG = "http://www.w3.org/2000/svg",
  HEIGHT = 60,
  // A few bars do not fill the whole width.
  MIN_BARS = 14,
  // The share of its place that a bar takes.
  FULLNESS = 0.85;

export class ReportBars {
  constructor() {
    this.place = make("div");
    this.said = make("small");
    this.drawn = "";
    this.element = make("div", { class: "days", hidden: true }, this.place, this.said);
  }

  // `bars` have a number of reports and what is told of it.
  show(bars, sentence) {
    this.element.hidden = !sentence;
    this.said.textContent = sentence;
    // The same bars are not drawn again, which would hide a tooltip.
    const content = JSON.stringify(bars);
    if (content === this.drawn) return;
    this.drawn = content;
    this.place.replaceChildren(...(bars.length ? [picture(bars, sentence)] : []));
  }

  stop() {
    this.place.replaceChildren();
  }
}

function drawing(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function picture(bars, sentence) {
  const most = Math.max(1, ...bars.map(({ reports }) => reports)),
    step = 100 / Math.max(MIN_BARS, bars.length);
  const drawn = bars.map(({ reports, words }, place) => {
    const height = (HEIGHT * reports) / most,
      size = { x: `${step * place}%`, width: `${FULLNESS * step}%`, y: HEIGHT - height, height };
    return drawing("rect", size, drawing("title", {}, words));
  });
  return drawing("svg", { role: "img", "aria-label": sentence, height: HEIGHT }, ...drawn);
}
