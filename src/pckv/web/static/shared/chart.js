// Charts: a Vega-Lite specification in the page's colours and as wide as its place, redrawn on changes.
import { wrapLabels } from "./chart-labels.js";
import { t } from "./language.js";
import { debounced, make, replace } from "./page.js";
import { chartLocale, toldChart } from "./told.js";

const DARK = matchMedia("(prefers-color-scheme: dark)");
// Panels stand side by side where each of them has at least this width with its labels.
const MIN_PANEL_WIDTH = 320;
// A chart that is this near to what is shown is drawn: the script takes seconds on a slow line.
const NEAR = "200px";
// Small multiples stand in rows of as many as fit, each with at least this width.
const SMALL_PANEL_WIDTH = 170;
// The width of labels that the first drawing assumes, and how often a panel is fitted to their real width.
const LABEL_WIDTH = 90,
  MAX_TRIES = 3;
const MIN_PLOT_WIDTH = 60;
// A legend that is wider than the chart would make all of it smaller.
const LEGEND_COLUMN_WIDTH = 70;
const OPTIONS = {
  ast: true,
  actions: false,
  defaultStyle: false,
  renderer: "svg",
  tooltip: { disableDefaultStyle: true },
  ...(chartLocale && { formatLocale: chartLocale }),
};

// The colours of the marks in the specifications, and lighter ones for a dark background.
const LIGHTER = new Map([
  ["#3367a8", "#7fb0f0"],
  ["#d1495b", "#f3909d"],
  ["#5f6875", "#a6b0be"],
]);

// A downloaded picture has its own colours and width, whatever the theme and the size of the page.
const DOWNLOAD_COLOURS = { background: "#ffffff", text: "#1c2430", soft: "#55606f", line: "#d5dbe3" };
const DOWNLOAD_WIDTH = 960;

let loading = null;

// Loads the script once; a failed load is forgotten, so that the next chart tries again.
function loadVega() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "/vega.js";
    script.onload = resolve;
    script.onerror = () => {
      loading = null;
      script.remove();
      reject(new Error(t("The script that draws charts cannot be loaded.")));
    };
    document.head.append(script);
  });
  return loading;
}

function pageColours() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  return {
    background: "transparent",
    text: colour("--text"),
    soft: colour("--soft"),
    line: colour("--line"),
  };
}

const theme = ({ background, text, soft, line }, width) => ({
  background,
  font: "system-ui, sans-serif",
  view: { stroke: line },
  title: { color: text, subtitleColor: soft },
  axis: { labelColor: text, titleColor: text, gridColor: line, domainColor: line, tickColor: line },
  legend: {
    labelColor: text,
    titleColor: text,
    orient: "bottom",
    columns: Math.max(1, Math.floor(width / LEGEND_COLUMN_WIDTH)),
  },
  axisXDiscrete: { labelOverlap: "greedy" },
});

const panelsOf = ({ hconcat, concat }) => hconcat ?? concat ?? [];

// How many panels stand side by side: all if they fit, otherwise one; of small multiples as many as fit.
function panelsAcross(spec, width) {
  const { length } = panelsOf(spec);
  if (spec.concat) return Math.max(1, Math.min(length, Math.floor((width - LABEL_WIDTH) / SMALL_PANEL_WIDTH)));
  return width >= length * MIN_PANEL_WIDTH ? Math.max(1, length) : 1;
}

// The first panel of every row has the labels.
function fit(spec, plotWidth, across) {
  const { hconcat, concat, columns: _, ...fitted } = structuredClone(spec),
    panels = panelsOf({ hconcat, concat });
  for (const panel of panels) panel.width = Math.max(MIN_PLOT_WIDTH, plotWidth);
  if (hconcat && panels.length === across) return { ...fitted, hconcat };
  const axes = panels.map((panel) => panel.layer.map((layer) => layer.encoding?.y)),
    [shown, hidden] = [axes[0]?.[0]?.axis, { labels: false, ticks: false, title: null }];
  axes.forEach((ofPanel, place) => {
    for (const y of ofPanel) if (y && (concat || y.axis?.labels === false)) y.axis = place % across ? hidden : shown;
  });
  return concat ? { ...fitted, concat, columns: across } : { ...fitted, vconcat: panels };
}

// A key may have the name of a colour, and stays as it is.
const NAMES = ["key", "partner", "segment"];
const lighten = (spec) =>
  JSON.parse(JSON.stringify(spec), (member, value) => (NAMES.includes(member) ? value : (LIGHTER.get(value) ?? value)));

const escaped = (text) => text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]);

// Labels take a width that is known once they are drawn: then the panels get what is left.
async function embed(spec, description, colours, width) {
  const { config: own = {}, ...rest } = spec;
  const across = panelsAcross(spec, width),
    isWide = spec.concat ? across > 1 : width >= panelsOf(spec).length * MIN_PANEL_WIDTH,
    labelLimit = Math.floor((isWide ? 0.25 : 0.4) * width);
  const config = { ...theme(colours, width), axisY: { labelLimit } };
  config.axis = { ...config.axis, ...own.axis };
  const fitted = wrapLabels({ ...rest, description }, labelLimit);
  for (let tries = 1, plotWidth = Math.floor(width / across) - LABEL_WIDTH; ; tries++) {
    const box = make("div");
    const embedded = await window.vegaEmbed(box, fit(fitted, plotWidth, across), {
      ...OPTIONS,
      config,
    });
    const left = Math.floor((width - Number(box.querySelector("svg").getAttribute("width"))) / across);
    if (!left || tries === MAX_TRIES || plotWidth + left < MIN_PLOT_WIDTH) return [box, embedded];
    embedded.finalize();
    plotWidth += left;
  }
}

export class Chart {
  constructor(description) {
    this.place = make("div");
    this.caption = make("figcaption");
    this.element = make("figure", { class: "chart" }, this.place, this.caption);
    Object.assign(this, { description, spec: null, shown: null, width: null, draws: 0, isNear: false });
    // The chart itself says why it cannot be drawn.
    this.redraw = () => this.spec && this.draw(this.spec).catch(() => {});
    this.nearness = new IntersectionObserver((entries) => this.move(entries), { rootMargin: NEAR });
    this.nearness.observe(this.element);
    DARK.addEventListener("change", this.redraw);
    this.observer = new ResizeObserver(debounced(() => this.resized(), 100));
    this.observer.observe(this.element);
  }

  move(entries) {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    this.nearness.disconnect();
    this.isNear = true;
    this.redraw();
  }

  say(text) {
    this.caption.textContent = text;
  }

  // Only the newest call changes the page, in whichever order they finish. A chart that is far from what is shown is
  // drawn once it comes near.
  // Where there is no room, as in a closed disclosure, the chart is drawn once there is.
  async draw(spec) {
    const number = ++this.draws;
    this.spec = spec;
    if (!this.isNear) return;
    try {
      await loadVega();
    } catch (error) {
      this.say(error.message);
      throw error;
    }
    if (number !== this.draws) return;
    const width = this.element.clientWidth;
    this.width = width;
    if (!width) return;
    const { title, ...untitled } = toldChart(spec);
    const [box, embedded] = await embed(
      DARK.matches ? lighten(untitled) : untitled,
      this.description,
      pageColours(),
      width,
    );
    if (number !== this.draws) return embedded.finalize();
    this.shown?.finalize();
    this.shown = embedded;
    // What Vega tells of every mark and axis is English. The chart has a description, and a table its numbers.
    box.querySelector("svg > g")?.setAttribute("aria-hidden", "true");
    box.querySelector("[aria-roledescription]")?.setAttribute("aria-roledescription", t("chart"));
    replace(this.place, box);
    // What stands above a picture stands below the chart, where it can be wrapped.
    this.say([title?.text, title?.subtitle].flat().filter(Boolean).join(". "));
  }

  // The first drawing is that of the caller, with the width that there is then.
  resized() {
    if (this.width !== null && this.element.clientWidth !== this.width) this.redraw();
  }

  stop() {
    this.draws++;
    this.nearness.disconnect();
    DARK.removeEventListener("change", this.redraw);
    this.observer.disconnect();
    this.shown?.finalize();
  }
}

// A specification as a picture that can be read on its own: its title says how it was made.
export async function pictureOf(spec, description) {
  await loadVega();
  const [, embedded] = await embed(toldChart(spec), description, DOWNLOAD_COLOURS, DOWNLOAD_WIDTH),
    { text = "", subtitle = "" } = spec.title ?? {};
  try {
    const picture = await embedded.view.toSVG();
    return picture.replace(
      ">",
      () => `><title>${escaped(text)}</title><desc>${escaped([subtitle].flat().join(". "))}</desc>`,
    );
  } finally {
    embedded.finalize();
  }
}
