// Charts: a Vega-Lite specification drawn in the page's colours, and drawn again when those change.

const DARK = matchMedia("(prefers-color-scheme: dark)");
const MIN_PANEL_WIDTH = 220,
  MAX_PANEL_WIDTH = 420,
  PANEL_GAP = 30;
const OPTIONS = {
  ast: true,
  actions: false,
  defaultStyle: false,
  renderer: "svg",
  tooltip: { disableDefaultStyle: true },
};

// The colours of the marks in the specifications, and lighter ones for a dark background.
const LIGHTER = new Map([
  ["#3367a8", "#7fb0f0"],
  ["#d1495b", "#f3909d"],
]);

// A downloaded picture has its own colours, whatever the theme of the page.
const DOWNLOAD_COLOURS = { background: "#ffffff", text: "#1c2430", soft: "#55606f", line: "#d5dbe3" };

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
      reject(new Error("The script that draws charts cannot be loaded."));
    };
    document.head.append(script);
  });
  return loading;
}

function pageColours() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  return { background: "transparent", text: colour("--text"), soft: colour("--soft"), line: colour("--line") };
}

const theme = ({ background, text, soft, line }) => ({
  background,
  font: "system-ui, sans-serif",
  view: { stroke: line },
  title: { color: text, subtitleColor: soft },
  axis: { labelColor: text, titleColor: text, gridColor: line, domainColor: line, tickColor: line },
  legend: { labelColor: text, titleColor: text, orient: "bottom" },
});

// Panels stand side by side where there is room for all of them, otherwise below each other. `labels` is the width of
// the axis labels next to a panel.
function fit(spec, width, labels) {
  const { hconcat: panels = [], ...fitted } = structuredClone(spec);
  const sideBySide = width >= panels.length * (labels + MIN_PANEL_WIDTH) + PANEL_GAP;
  const available = sideBySide ? (width - PANEL_GAP) / panels.length - labels : width - labels;
  for (const panel of panels)
    panel.width = Math.floor(Math.max(MIN_PANEL_WIDTH / 2, Math.min(MAX_PANEL_WIDTH, available)));
  if (fitted.title?.subtitle && !sideBySide)
    fitted.title.subtitle = breakLines(fitted.title.subtitle, Math.floor(width / 6));
  return { ...fitted, [sideBySide ? "hconcat" : "vconcat"]: panels };
}

// A key may have the name of a colour, and stays as it is.
const lighten = (spec) =>
  JSON.parse(JSON.stringify(spec), (member, value) => (member === "key" ? value : (LIGHTER.get(value) ?? value)));

function breakLines(text, maxLength) {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (lines.at(-1) && lines.at(-1).length + word.length >= maxLength) lines.push("");
    lines[lines.length - 1] += (lines.at(-1) ? " " : "") + word;
  }
  return lines;
}

export class Chart {
  // `labels`: the width that the axis labels next to a panel may take.
  constructor(description, labels = 85) {
    this.element = document.createElement("div");
    this.element.className = "chart";
    Object.assign(this, { description, labels, spec: null, shown: null, width: 0, draws: 0 });
    // The caller of the first `draw` has already reported why the chart cannot be drawn.
    this.redraw = () => this.spec && this.draw(this.spec).catch(() => {});
    DARK.addEventListener("change", this.redraw);
    this.observer = new ResizeObserver(([{ contentRect }]) => {
      if (this.width && Math.abs(contentRect.width - this.width) > 20) this.redraw();
    });
    this.observer.observe(this.element);
  }

  // Only the newest call changes the page, in whichever order they finish.
  async draw(spec) {
    const number = ++this.draws;
    this.spec = spec;
    await loadVega();
    if (number !== this.draws) return;
    this.width = this.element.clientWidth;
    const [box, embedded] = await this.embed(DARK.matches ? lighten(spec) : spec, pageColours());
    if (number !== this.draws) return embedded.finalize();
    this.shown?.finalize();
    this.shown = embedded;
    this.element.replaceChildren(box);
  }

  async embed(spec, colours) {
    const labels = Math.min(this.labels, 0.45 * this.width);
    const { config: own = {}, ...fitted } = fit(spec, this.width, labels);
    const config = { ...theme(colours), axisY: { labelLimit: labels - 25 } };
    config.axis = { ...config.axis, ...own.axis };
    const box = document.createElement("div");
    return [box, await window.vegaEmbed(box, { ...fitted, description: this.description }, { ...OPTIONS, config })];
  }

  // The chart as a picture that can be read on its own.
  async svg() {
    if (!this.shown) throw new Error("The chart is not drawn yet.");
    const [, embedded] = await this.embed(this.spec, DOWNLOAD_COLOURS);
    try {
      return await embedded.view.toSVG();
    } finally {
      embedded.finalize();
    }
  }

  stop() {
    this.draws++;
    DARK.removeEventListener("change", this.redraw);
    this.observer.disconnect();
    this.shown?.finalize();
  }
}
