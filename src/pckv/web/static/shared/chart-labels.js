// Names of keys beside a chart, in several lines where one is too short for them.

const FONT = "10px system-ui, sans-serif",
  LINE_PIXELS = 12,
  ROW_PADDING = 8;
const MAX_LINES = 4;
// Neither is in a name. A label without breaks and end signs is the name again: no two keys share one.
const BREAK = "\n",
  REST = "\v";
const LINES = `split(split(datum.label, ${JSON.stringify(REST)})[0], ${JSON.stringify(BREAK)})`;

let context;

function isTooWide(text, width) {
  if (!context) {
    context = document.createElement("canvas").getContext("2d");
    context.font = FONT;
  }
  return context.measureText(text).width > width;
}

// Breaks after spaces, and within a word that is longer than a line.
function linesOf(name, width) {
  const lines = [""];
  for (const word of name.match(/\S*\s*/gu)) {
    if (lines.at(-1) && isTooWide((lines.at(-1) + word).trimEnd(), width)) lines.push("");
    for (const sign of isTooWide(word.trimEnd(), width) ? word : [word]) {
      if (lines.at(-1) && isTooWide((lines.at(-1) + sign).trimEnd(), width)) lines.push("");
      lines[lines.length - 1] += sign;
    }
  }
  return lines;
}

function labelOf(name, width) {
  const lines = linesOf(name, width);
  if (lines.length <= MAX_LINES) return lines.join(BREAK);
  return `${lines.slice(0, MAX_LINES).join(BREAK)}…${REST}${lines.slice(MAX_LINES).join("")}`;
}

const lineCount = (label) => label.split(REST)[0].split(BREAK).length;

function withLabels(y) {
  const shown = y.axis?.labels !== false;
  return {
    ...y,
    field: "label",
    ...(shown && { axis: { ...y.axis, labelExpr: LINES, labelLineHeight: LINE_PIXELS } }),
  };
}

// Gives every row of a specification a label of at most this width, and all rows the same height.
export function wrapLabels(spec, width) {
  let most = 1;
  const wrapped = JSON.parse(JSON.stringify(spec), (member, value) => {
    if (member === "y" && value.field === "key") return withLabels(value);
    if (typeof value?.key !== "string") return value;
    const label = labelOf(value.key, width);
    most = Math.max(most, lineCount(label));
    return { ...value, label };
  });
  if (most === 1) return spec;
  for (const { height } of wrapped.hconcat ?? wrapped.concat)
    height.step = Math.max(height.step, most * LINE_PIXELS + ROW_PADDING);
  return wrapped;
}
