// What a discovery found: a sentence, the keys with their ranges, the tree of prefixes as it grows, and what comes next.
import { isLost } from "../shared/connection.js";
import {
  alertBox,
  announce,
  count,
  make,
  newestOnly,
  percent,
  plural,
  replace,
  request,
  save,
} from "../shared/page.js";
import { prefixTree } from "./prefix-tree.js";
import { frequencyTexts } from "../shared/ranges.js";
import { fileName } from "./results.js";

const REFRESH_SECONDS = 10,
  MAX_KEYS_SHOWN = 200;
const DOWNLOADS = { "Keys, one per line": "text/plain", CSV: "text/csv", JSON: "application/json" };
const WAITING = "No reports yet: share the link with the people who are to take part.";

// `show` is called with every overview of the task.
export function discoverySection({ id, path, administers }) {
  const said = make("div"),
    verdict = make("div", { class: "note verdict", "aria-live": "polite" }),
    waiting = make("p", { class: "note" }),
    computing = make("p", { class: "computing", role: "status" }),
    keys = make("tbody"),
    rest = make("p", { class: "aside" }),
    tree = prefixTree();
  const measure = make(
    "a",
    { class: "button", href: `#/new?discovery=${encodeURIComponent(id)}` },
    "Make a task from these keys",
  );
  const table = make(
    "div",
    {},
    make("h3", {}, "Keys found"),
    make(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Keys found" },
      make(
        "table",
        { class: "found" },
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            make("th", { scope: "col" }, "Key"),
            make("th", { scope: "col", class: "number" }, "Share of people"),
          ),
        ),
        keys,
      ),
    ),
    rest,
    administers ? make("div", { class: "buttons" }, measure) : null,
  );
  const prefixes = make(
    "div",
    {},
    make("h3", {}, "How far prefixes were followed"),
    make(
      "p",
      {},
      "Every group of people reports prefixes of one length. Those that stand out are followed to the next; grey ones led to no key so far, and may be noise.",
    ),
    tree.element,
  );
  const known = make("div", { hidden: true }, verdict, table, prefixes, downloads());
  const element = make(
    "section",
    { "aria-label": "Results" },
    make("h2", {}, "Results"),
    waiting,
    said,
    computing,
    known,
  );
  let task,
    drawn = { reports: -1, next: 0 };

  function downloads() {
    const button = (name) => make("button", { type: "button", onclick: () => download(name) }, name);
    return make(
      "div",
      { class: "buttons", role: "group", "aria-label": "Download" },
      make("span", {}, "Download"),
      ...Object.keys(DOWNLOADS).map(button),
    );
  }

  async function download(name) {
    try {
      const answer = await request("GET", `${path}/discovery`, { accept: DOWNLOADS[name] });
      save(await answer.blob(), fileName(answer));
      announce(`${name}: downloaded.`);
    } catch (error) {
      showProblem(error);
    }
  }

  const showProblem = (problem) =>
    replace(said, problem && !isLost(problem) ? alertBox(problem.message) : null);

  function showFound(found) {
    const [first, ...others] = found.verdict,
      rate = `Of the keys found, at most ${percent(found.false_discovery_rate)} are held by nobody, on average.`;
    replace(
      verdict,
      make("p", { class: "answer" }, first),
      make("p", {}, [...others, found.keys.length ? rate : ""].join(" ")),
    );
    replace(keys, ...found.keys.slice(0, MAX_KEYS_SHOWN).map(keyRow));
    const hidden = found.keys.length - MAX_KEYS_SHOWN;
    rest.textContent = hidden > 0 ? `${plural(hidden, "more key")} are in the downloads.` : "";
    table.hidden = found.keys.length === 0;
    tree.show(found.tree);
    prefixes.hidden = found.tree.length === 0;
    known.hidden = false;
  }

  const redraw = newestOnly(async (signal) => {
    const began = Date.now();
    let reports = task.reports;
    drawn = { reports, next: Infinity };
    computing.textContent = known.hidden ? `Looking for keys in ${plural(reports, "report")} …` : "";
    try {
      const answer = await request("GET", `${path}/discovery`, { signal });
      showFound(await answer.json());
      showProblem(null);
    } catch (error) {
      if (signal.aborted) return;
      showProblem(error);
      // Try again even if no report comes.
      reports = -1;
    }
    if (signal.aborted) return;
    computing.textContent = "";
    // What takes long is requested less often.
    drawn = { reports, next: Date.now() + Math.max(1000 * REFRESH_SECONDS, 5 * (Date.now() - began)) };
  });

  function show(overview) {
    task = overview;
    const { groups } = task.keys,
      enough = task.reports >= groups;
    waiting.hidden = enough;
    waiting.textContent = task.reports
      ? `${plural(task.reports, "report")} so far. There must be at least ${count(groups)}, one per group, before anything can be found.`
      : WAITING;
    if (!enough || drawn.reports === task.reports || Date.now() <= drawn.next || document.hidden) return;
    redraw();
  }

  return { element, show, stop: redraw.stop };
}

function keyRow(found) {
  const { value, range } = frequencyTexts(found);
  return make(
    "tr",
    {},
    make(
      "th",
      { scope: "row", class: "key" },
      found.key,
      found.is_cut ? make("small", {}, " may go on") : null,
    ),
    make("td", { class: "number" }, value, " ", make("small", {}, `(${range})`)),
  );
}
