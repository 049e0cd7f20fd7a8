// What a discovery found: a sentence, the keys with their ranges, the tree of prefixes, and next steps.
import { isLost, Pace } from "../shared/connection.js";
import { answersAs, downloads, TABLES } from "../shared/downloads.js";
import { t, language } from "../shared/language.js";
import { alertBox, count, make, newestOnly, percent, plural, replace, query } from "../shared/page.js";
import { ask, request } from "../shared/request.js";
import { frequencyTexts } from "../shared/ranges.js";
import { HeldTable, named, ranged } from "../shared/table.js";
import { told } from "../shared/told.js";
import { BarsFigure } from "./bars.js";
import { emptyText, findingOf } from "./finding.js";
import { panelsOf } from "./panels.js";
import { PrefixTree } from "./prefix-tree.js";

const FORMS = { [t("Answers, one per line")]: "text/plain", ...TABLES };
const COLUMNS = [{ name: t("Answer") }, { name: t("Given by"), number: true }];
// What is drawn of answers: they have no values.
const NO_VALUES = { low: null, about: { unit: "" } };

export class DiscoverySection {
  // `oncounted` is called when the number of responses changed that the page is from: `counted`, null before there are
  // any.
  constructor({ id, path, administers, oncounted = () => {} }) {
    Object.assign(this, { path, oncounted, pace: new Pace(), counted: null, reports: 0 });
    this.said = make("div");
    this.verdict = make("div", { class: "note verdict" });
    this.finding = make("div", { "aria-live": "polite" });
    this.from = make("p", { class: "soft", role: "status" });
    this.chart = new BarsFigure();
    this.waiting = make("p", { class: "note" });
    this.computing = make("p", { class: "computing", role: "status" });
    this.keys = new HeldTable({ columns: COLUMNS, row, kind: "found", label: t("Answers found") });
    this.tree = new PrefixTree();
    const address = `#/new?discovery=${encodeURIComponent(id)}`,
      measure = make("a", { class: "button", href: address }, t("Make a survey of these answers"));
    this.found = make(
      "div",
      {},
      make("h3", {}, t("Answers found")),
      this.chart.element,
      this.keys.element,
      administers ? make("div", { class: "buttons" }, measure) : null,
    );
    const followed = t(
      "Every group of people reports the beginnings of its answers, of one length. Those that stand out are followed to the next length, until a whole answer is found.",
    );
    this.prefixes = make(
      "details",
      { class: "options" },
      make("summary", {}, t("Details: how the answers were found")),
      make("p", {}, followed),
      this.tree.element,
    );
    const send = (accept) => request("GET", `${path}/discovery?${query({ language })}`, { accept }),
      saved = downloads(answersAs(FORMS, send), (error) => this.showProblem(error));
    this.known = make("div", { hidden: true }, this.verdict, this.from, this.found, saved, this.prefixes);
    const label = t("Results"),
      content = [this.waiting, this.said, this.computing, this.finding, this.known];
    this.element = make("section", { "aria-label": label }, make("h2", { class: "hidden-text" }, label), ...content);
  }

  // Called with every overview of the task.
  show(task) {
    const { reports, keys } = task,
      { groups } = keys;
    Object.assign(this, { task, reports });
    this.waiting.hidden = reports >= groups;
    this.waiting.textContent = reports ? tooFewText(task) : emptyText(task);
    this.showCount();
    if (this.waiting.hidden && this.pace.isDue(reports)) this.redraw(reports);
  }

  redraw = newestOnly(async (signal, reports) => {
    this.pace.begin(reports);
    this.computing.textContent = this.known.hidden
      ? t("Looking for answers in {responses} …", { responses: plural(reports, "response") })
      : "";
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
    this.pace.end(complete && this.counted >= reports);
  });

  showProblem(problem) {
    replace(this.said, problem && !isLost(problem) ? alertBox(problem.message) : null);
  }

  showFound({ verdict, keys, tree, reports, false_discovery_rate: rate }) {
    const limit = t("Of the answers found, at most {rate} were given by none, on average.", { rate: percent(rate) }),
      rows = keys.map((each) => ({ ...each, detected: true })),
      words = [...verdict.map(told), ...(keys.length ? [limit] : [])];
    this.counted = reports;
    // Where nothing was found, the verdict says so.
    replace(
      this.finding,
      ...(rows.length ? findingOf({ rows, answer: { reports }, task: this.task, isPart: true }) : []),
    );
    replace(this.verdict, ...words.map((sentence) => make("p", {}, sentence)));
    if (keys.length) this.chart.show(panelsOf(rows, NO_VALUES), t("Line: the range of each number."));
    this.keys.hold(keys);
    this.found.hidden = keys.length === 0;
    this.tree.show(tree);
    this.prefixes.hidden = keys.length === 0;
    this.known.hidden = false;
    this.showCount();
    this.oncounted();
  }

  // All numbers that are shown are from the same reports.
  showCount() {
    const { counted, reports } = this,
      more = counted === null ? 0 : reports - counted,
      since =
        more > 0
          ? t("{more} since; they are counted at the next update.", { more: plural(more, "more response") })
          : "",
      text =
        counted === null ? "" : `${t("From {responses}.", { responses: plural(counted, "response") })} ${since}`.trim();
    if (this.from.textContent !== text) this.from.textContent = text;
  }

  stop() {
    this.redraw.stop();
    this.keys.stop();
  }
}

// Of a mixed survey all responses come at once.
function tooFewText({ reports, keys, phase, batch }) {
  const values = { responses: plural(reports, "response"), number: count(keys.groups) };
  return phase === "closed" || batch
    ? t("Nothing can be found in {responses}: at least {number} would have been needed.", values)
    : t("{responses} so far. At least {number} are needed before anything can be found.", values);
}

function row(found) {
  const { value, range } = frequencyTexts(found);
  return [
    [named(found.key), found.is_cut ? make("small", {}, ` ${t("(may be longer)")}`) : null],
    ranged(value, range),
  ];
}
