// The tree of prefixes that a discovery followed, one row per fork or end, each with its share and range.
import { count, make, replace } from "../shared/page.js";
import { frequencyTexts } from "../shared/ranges.js";
import { drawn } from "../shared/svg.js";

const MAX_ROWS = 200;

// The rows from the root on, a branch after another: those that lead to a key first, then by their shares. Prefixes with one
// continuation share the row of the last: `text` is what they add to the row above, `depth` how many forks there are above.
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

// `show` is called with the prefixes whenever they may have changed.
export function prefixTree() {
  const body = make("tbody"),
    rest = make("p", { class: "aside" });
  const element = make(
    "div",
    {},
    make(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Tree of prefixes" },
      make(
        "table",
        { class: "compact prefixes" },
        make("thead", {}, make("tr", {}, ...["Texts that begin with", "", "Share of people"].map(header))),
        body,
      ),
    ),
    rest,
  );

  function show(nodes) {
    const rows = treeRows(nodes),
      // Those that lead to no key are left out first.
      shown = rows.length > MAX_ROWS ? rows.filter(({ node }) => node.leads_to_key).slice(0, MAX_ROWS) : rows,
      most = Math.max(...shown.map(({ node }) => node.frequency_high), 1e-9);
    replace(body, ...shown.map((each) => row(each, most)));
    const hidden = rows.length - shown.length;
    rest.textContent = hidden ? `${count(hidden)} more forks and ends are in the download (JSON).` : "";
  }

  return { element, show };
}

const header = (name, column) => make("th", { scope: "col", class: column ? "number" : null }, name);

function row({ node, depth, text }, most) {
  const { value, range } = frequencyTexts(node),
    letters = [...node.prefix],
    above = letters.slice(0, letters.length - [...text].length).join(""),
    // A text as long as can be found may go on.
    ends = node.ended && letters.length < node.length;
  // Those who cannot see the indentation hear the whole prefix.
  const label = make(
    "th",
    { scope: "row" },
    make(
      "span",
      { class: "branch", "aria-hidden": "true" },
      "│ ".repeat(Math.max(0, depth - 1)) + (depth ? "├ " : ""),
    ),
    make("code", { class: "soft" }, above),
    make("code", {}, text),
    ends ? make("small", {}, " ends here") : null,
  );
  return make(
    "tr",
    { class: node.leads_to_key ? null : "soft" },
    label,
    make("td", {}, interval(node, most)),
    make("td", { class: "number" }, value, " ", make("small", {}, `(${range})`)),
  );
}

// From the lower end to the upper one, with a dot at the estimate; all rows have the same scale.
function interval({ frequency, frequency_low: low, frequency_high: high }, most) {
  const place = (share) => 2 + (96 * share) / most;
  return drawn(
    "svg",
    { viewBox: "0 0 100 10", class: "interval", "aria-hidden": "true" },
    drawn("line", { x1: 0, x2: 100, y1: 9.5, y2: 9.5, class: "scale" }),
    drawn("line", { x1: place(low), x2: place(high), y1: 5, y2: 5 }),
    drawn("circle", { cx: place(frequency), cy: 5, r: 2 }),
  );
}
