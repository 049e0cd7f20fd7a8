// What a discovery found: a sentence, the keys with their ranges, the tree of prefixes, and next steps.
import { isLost, Pace } from "../shared/connection.js";
import { answersAs, downloads, TABLES } from "../shared/downloads.js";
import { alertBox, ask, count, make, newestOnly, percent, plural, replace, request } from "../shared/page.js";
import { frequencyTexts } from "../shared/ranges.js";
import { ranged, Table } from "../shared/table.js";
import { PrefixTree } from "./prefix-tree.js";

const MAX_KEYS_SHOWN = 200;
const FORMS = { "Keys, one per line": "text/plain", ...TABLES };
const WAITING = "No reports yet: share the link with the people who are to take part.",
  FOLLOWED =
    "Every group of people reports prefixes of one length. Those that stand out are followed to the next; grey ones led to no key so far, and may be noise.";
const COLUMNS = [{ name: "Key" }, { name: "Share of people", number: true }];

export class DiscoverySection {
  constructor({ id, path, administers }) {
    Object.assign(this, { path, pace: new Pace() });
    this.said = make("div");
    this.verdict = make("div", { class: "note verdict", "aria-live": "polite" });
    this.waiting = make("p", { class: "note" });
    this.computing = make("p", { class: "computing", role: "status" });
    this.keys = new Table({ columns: COLUMNS, row, kind: "found", label: "Keys found" });
    this.rest = make("p", { class: "aside" });
    this.tree = new PrefixTree();
    const address = `#/new?discovery=${encodeURIComponent(id)}`,
      measure = make("a", { class: "button", href: address }, "Make a task from these keys");
    this.found = make(
      "div",
      {},
      make("h3", {}, "Keys found"),
      this.keys.element,
      this.rest,
      administers ? make("div", { class: "buttons" }, measure) : null,
    );
    const title = make("h3", {}, "How far prefixes were followed");
    this.prefixes = make("div", {}, title, make("p", {}, FOLLOWED), this.tree.element);
    const send = (accept) => request("GET", `${path}/discovery`, { accept }),
      saved = downloads(answersAs(FORMS, send), (error) => this.showProblem(error));
    this.known = make("div", { hidden: true }, this.verdict, this.found, this.prefixes, saved);
    const content = [make("h2", {}, "Results"), this.waiting, this.said, this.computing, this.known];
    this.element = make("section", { "aria-label": "Results" }, ...content);
  }

  // Called with every overview of the task.
  show({ reports, keys: { groups } }) {
    this.waiting.hidden = reports >= groups;
    this.waiting.textContent = reports
      ? `${plural(reports, "report")} so far. There must be at least ${count(groups)}, one per group, before anything can be found.`
      : WAITING;
    if (this.waiting.hidden && this.pace.isDue(reports)) this.redraw(reports);
  }

  redraw = newestOnly(async (signal, reports) => {
    this.pace.begin(reports);
    this.computing.textContent = this.known.hidden ? `Looking for keys in ${plural(reports, "report")} …` : "";
    let complete = false;
    try {
      this.showFound(await ask("GET", `${this.path}/discovery`, { signal }));
      this.showProblem(null);
      complete = true;
    } catch (error) {
      if (signal.aborted) return;
      this.showProblem(error);
    }
    this.computing.textContent = "";
    this.pace.end(complete);
  });

  showProblem(problem) {
    replace(this.said, problem && !isLost(problem) ? alertBox(problem.message) : null);
  }

  showFound({ verdict: [first, ...others], keys, tree, false_discovery_rate: rate }) {
    const limit = `Of the keys found, at most ${percent(rate)} have no holder, on average.`,
      words = [...others, keys.length ? limit : ""].join(" "),
      hidden = keys.length - MAX_KEYS_SHOWN;
    replace(this.verdict, make("p", { class: "answer" }, first), make("p", {}, words));
    this.keys.show(keys.slice(0, MAX_KEYS_SHOWN));
    this.rest.textContent = hidden > 0 ? `${plural(hidden, "more key")} are in the downloads.` : "";
    this.found.hidden = keys.length === 0;
    this.tree.show(tree);
    this.prefixes.hidden = tree.length === 0;
    this.known.hidden = false;
  }

  stop() {
    this.redraw.stop();
  }
}

function row(found) {
  const { value, range } = frequencyTexts(found);
  return [[found.key, found.is_cut ? make("small", {}, " may go on") : null], ranged(value, range)];
}
