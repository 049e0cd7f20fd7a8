// The tree of prefixes that a discovery followed, one row per fork or end, each with its share and range.
import { t } from "../shared/language.js";
import { count, make } from "../shared/page.js";
import { frequencyTexts } from "../shared/ranges.js";
import { named, rangeBar, ranged, Table } from "../shared/table.js";

const MAX_ROWS = 200;
const COLUMNS = [
  { name: t("Answers that begin with") },
  { name: t("Share of people, as a bar"), hidden: true },
  { name: t("Given by"), number: true },
];

// The rows from the root on, a branch after another, by their shares; only what leads to an answer, since other
// branches may be noise, and lead nowhere.
// Prefixes with one continuation share the row of the last: `text` is what they add to the row above, `depth`
// how many forks there are above.
export function treeRows(nodes) {
  const lengths = [...new Set(nodes.map(({ length }) => length))].sort((one, other) => one - other),
    children = new Map();
  // The prefix of the group before; no ended text goes on.
  for (const node of nodes.filter((each) => each.leads_to_key)) {
    const place = lengths.indexOf(node.length),
      parent = place ? `${lengths[place - 1]} ${[...node.prefix].slice(0, lengths[place - 1]).join("")}` : "";
    children.set(parent, [...(children.get(parent) ?? []), node]);
  }
  const after = ({ prefix, length, ended }) => (ended ? [] : (children.get(`${length} ${prefix}`) ?? []));
  const rows = [];
  function visit(first, depth, shown) {
    let last = first;
    for (let next = after(last); next.length === 1; next = after(last)) [last] = next;
    const letters = [...last.prefix];
    rows.push({ node: last, depth, text: letters.slice(shown).join("") });
    for (const node of after(last).sort(byImportance)) visit(node, depth + 1, letters.length);
  }
  for (const node of (children.get("") ?? []).sort(byImportance)) visit(node, 0, 0);
  return rows;
}

const byImportance = (one, other) => other.frequency - one.frequency;

export class PrefixTree {
  constructor() {
    this.table = new Table({
      columns: COLUMNS,
      row,
      kind: "compact prefixes",
      label: t("Tree of beginnings"),
    });
    this.rest = make("p", { class: "aside" });
    this.element = make("div", {}, this.table.element, this.rest);
  }

  show(nodes) {
    const rows = treeRows(nodes),
      shown = rows.slice(0, MAX_ROWS),
      hidden = rows.length - shown.length;
    this.table.show(shown, Math.max(...shown.map(({ node }) => node.frequency_high), 1e-9));
    this.rest.textContent = hidden ? t("{number} more are in the download (JSON).", { number: count(hidden) }) : "";
  }
}

function row({ node, depth, text }, most) {
  const { value, range } = frequencyTexts(node),
    letters = [...node.prefix],
    above = letters.slice(0, letters.length - [...text].length).join(""),
    // A text as long as can be found may go on.
    ends = node.ended && letters.length < node.length,
    branch = "│ ".repeat(Math.max(0, depth - 1)) + (depth ? "├ " : "");
  // Those who cannot see the indentation hear the whole prefix.
  const label = [
    make("span", { class: "branch", "aria-hidden": "true" }, branch),
    make("code", { class: "soft" }, named(above)),
    make("code", {}, named(text)),
    ends ? make("small", {}, ` ${t("(ends here)")}`) : null,
  ];
  return [label, rangeBar(node, most), ranged(value, range)];
}
