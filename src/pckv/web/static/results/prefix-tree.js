// The tree of prefixes that a discovery followed, one row per fork or end, each with its share and range.
import { count, make } from "../shared/page.js";
import { frequencyTexts } from "../shared/ranges.js";
import { rangeBar, ranged, Table } from "../shared/table.js";

const MAX_ROWS = 200;
const COLUMNS = [{ name: "Texts that begin with" }, { name: "" }, { name: "Share of people", number: true }];

// The rows from the root on, a branch after another: those that lead to a key first, then by their shares.
// Prefixes with one continuation share the row of the last: `text` is what they add to the row above, `depth`
// how many forks there are above.
export function treeRows(nodes) {
  const lengths = [...new Set(nodes.map(({ length }) => length))].sort((one, other) => one - other),
    children = new Map();
  // The prefix of the group before; no ended text goes on.
  for (const node of nodes) {
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

const byImportance = (one, other) => other.leads_to_key - one.leads_to_key || other.frequency - one.frequency;

export class PrefixTree {
  constructor() {
    this.table = new Table({
      columns: COLUMNS,
      row,
      isSoft: ({ node }) => !node.leads_to_key,
      kind: "compact prefixes",
      label: "Tree of prefixes",
    });
    this.rest = make("p", { class: "aside" });
    this.element = make("div", {}, this.table.element, this.rest);
  }

  // Of too many rows, those that lead to no key are left out first.
  show(nodes) {
    const rows = treeRows(nodes),
      leading = rows.filter(({ node }) => node.leads_to_key),
      shown = rows.length > MAX_ROWS ? leading.slice(0, MAX_ROWS) : rows,
      hidden = rows.length - shown.length;
    this.table.show(shown, Math.max(...shown.map(({ node }) => node.frequency_high), 1e-9));
    this.rest.textContent = hidden ? `${count(hidden)} more forks and ends are in the download (JSON).` : "";
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
    make("code", { class: "soft" }, above),
    make("code", {}, text),
    ends ? make("small", {}, " ends here") : null,
  ];
  return [label, rangeBar(node, most, node.leads_to_key), ranged(value, range)];
}
