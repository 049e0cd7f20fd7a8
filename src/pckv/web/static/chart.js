// Charts: a Vega-Lite specification drawn in the page's colours, again when those change.

const DARK = matchMedia("(prefers-color-scheme: dark)");
const LEAST_PANEL = 220;
const OPTIONS = {
  ast: true,
  actions: false,
  defaultStyle: false,
  renderer: "svg",
  tooltip: { disableDefaultStyle: true },
};

// The marks of the specifications, lighter on a dark ground.
const LIGHTER = { "#3367a8": "#7fb0f0", "#d1495b": "#f3909d" };

let loading;

function vega() {
  loading ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = "/vega.js";
    script.onload = done;
    script.onerror = () => failed(new Error("The script that draws charts cannot be loaded."));
    document.head.append(script);
  });
  return loading;
}

function theme() {
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const text = colour("--text"),
    faint = colour("--line");
  return {
    background: "transparent",
    font: "system-ui, sans-serif",
    view: { stroke: faint },
    title: { color: text, subtitleColor: colour("--soft") },
    axis: { labelColor: text, titleColor: text, gridColor: faint, domainColor: faint, tickColor: faint },
    legend: { labelColor: text, titleColor: text, orient: "bottom" },
  };
}

// Panels stand side by side where there is room for two, else below each other; beside each are its labels.
function fitted(spec, room, labels) {
  const text = JSON.stringify(spec),
    gap = 30;
  const { hconcat: panels = [], ...copy } = JSON.parse(DARK.matches ? lighter(text) : text);
  const abreast = room >= panels.length * (labels + LEAST_PANEL) + gap;
  const width = Math.max(
    LEAST_PANEL / 2,
    Math.min(420, abreast ? (room - gap) / panels.length - labels : room - labels),
  );
  for (const panel of panels) panel.width = Math.floor(width);
  if (copy.title?.subtitle && !abreast) copy.title.subtitle = broken(copy.title.subtitle, Math.floor(room / 6));
  return { ...copy, [abreast ? "hconcat" : "vconcat"]: panels };
}

const lighter = (text) =>
  text.replace(/"#[0-9a-f]{6}"/g, (colour) => JSON.stringify(LIGHTER[JSON.parse(colour)] ?? JSON.parse(colour)));

function broken(text, most) {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (lines.at(-1) && lines.at(-1).length + word.length >= most) lines.push("");
    lines[lines.length - 1] += (lines.at(-1) ? " " : "") + word;
  }
  return lines;
}

export class Chart {
  // `labels`: the room that the labels beside a panel take.
  constructor(description, labels = 85) {
    this.element = document.createElement("div");
    this.element.className = "chart";
    Object.assign(this, { description, labels });
    this.again = () => this.spec && this.draw(this.spec);
    DARK.addEventListener("change", this.again);
    this.watcher = new ResizeObserver(([{ contentRect }]) => {
      if (this.room && Math.abs(contentRect.width - this.room) > 20) this.again();
    });
    this.watcher.observe(this.element);
  }

  async draw(spec) {
    this.spec = spec;
    await vega();
    this.room = this.element.clientWidth;
    const labels = Math.min(this.labels, 0.45 * this.room);
    const { config = {}, ...shown } = fitted(spec, this.room, labels);
    const look = { ...theme(), axisY: { labelLimit: labels - 25 } };
    look.axis = { ...look.axis, ...config.axis };
    const box = document.createElement("div");
    const made = await window.vegaEmbed(box, { ...shown, description: this.description }, { ...OPTIONS, config: look });
    // A newer one was asked for meanwhile.
    if (this.spec !== spec) return made.finalize();
    this.shown?.finalize();
    this.shown = made;
    this.element.replaceChildren(box);
  }

  svg() {
    return this.shown.view.toSVG();
  }

  stop() {
    DARK.removeEventListener("change", this.again);
    this.watcher.disconnect();
    this.shown?.finalize();
  }
}
