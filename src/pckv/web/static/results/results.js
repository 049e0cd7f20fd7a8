// What the reports of a task tell: a sentence, a chart, a table, options, downloads, and their precision.
import { withSettings } from "../shared/address.js";
import { Chart } from "../shared/chart.js";
import { isLost, Pace } from "../shared/connection.js";
import { answersAs, downloads, TABLES } from "../shared/downloads.js";
import { alertBox, make, newestOnly, plural, query, replace, request, warningBox } from "../shared/page.js";
import { hasValues, isDeletedUnread } from "../shared/task-words.js";
import { candidatesForm } from "./candidates.js";
import { changedOptions, isHashed, optionsPanel, readOptions } from "./estimate-options.js";
import { estimatesTable } from "./estimates.js";
import { PairsSection } from "./pairs.js";
import { precisionSection } from "./precision.js";
import { SegmentsSection } from "./segments.js";
import { sharesTable } from "./shares.js";

// Estimates that take longer than this are announced.
const SAY_AFTER_MILLISECONDS = 400;
const NOT_COME = "There are no reports here yet: those of a mixed task come together, from its mixer.";
const NO_REPORTS = "No reports yet: share the link with the people who are to take part.";

// Requests for estimates: of all keys of a task, or of those that an analyst named.
class EstimateRequests {
  constructor(path) {
    this.path = path;
    // Null for all keys.
    this.keys = null;
  }

  // `place` is what is asked for: estimates, or a chart of them. `keys` replace those named before.
  send(place, parameters, { keys = this.keys, ...options } = {}) {
    const address = `${this.path}/${place}?${query(parameters)}`;
    return keys ? request("POST", address, { ...options, body: { keys } }) : request("GET", address, options);
  }

  async ask(place, parameters, options) {
    return (await this.send(place, parameters, options)).json();
  }
}

export class ResultsSection {
  // `settings` are those of the address; `onsettings` is called with those that belong there now.
  constructor({ id, path, settings, onsettings }) {
    Object.assign(this, { id, path, settings, onsettings, pace: new Pace() });
    this.requests = new EstimateRequests(path);
    this.said = make("div");
    this.warned = make("div");
    this.verdict = make("div", { class: "verdict", "aria-live": "polite" });
    this.computing = make("p", { class: "computing", role: "status" });
    this.empty = make("p", { class: "note", hidden: true }, NO_REPORTS);
    // Shown once there are numbers.
    this.known = make("div", { hidden: true });
    this.element = make("div");
    this.chart = new Chart("");
    // The number of reports that the numbers on the page are from.
    this.counted = 0;
  }

  // Called with every overview of the task.
  show(task) {
    const first = this.task === undefined;
    this.task = task;
    if (first) this.build();
    this.empty.hidden = task.reports > 0;
    // The head tells when the reports of a mixed task come, or why there are none.
    if (task.batch) this.empty.textContent = isDeletedUnread(task.batch) ? "There are no reports." : NOT_COME;
    if (this.candidates) this.showCandidates();
    if (!this.pace.isDue(task.reports)) return;
    if (task.reports && this.waitsForKeys()) {
      if (first) this.precision.refresh(this.options);
    } else if (task.reports) this.redraw();
    else {
      this.pace.reports = 0;
      this.precision.refresh(this.options);
    }
  }

  build() {
    const { task, requests, known } = this;
    this.chart.description = `${hasValues(task) ? "Share of people and mean of the most frequent keys with their ranges, and what they say" : "Share of people of the most frequent keys with their ranges"}; the tables below have the same numbers.`;
    this.options = readOptions(task, this.settings);
    // An analyst names the hashed keys to look for.
    this.candidates = isHashed(task) ? candidatesForm((keys) => this.lookFor(keys)) : null;
    const address = isHashed(task) ? null : (key) => this.keyAddress(key);
    this.table = estimatesTable({
      requests,
      task,
      options: this.options,
      search: this.settings.search ?? "",
      address,
      onanswer: (answer) => this.showNumbers(answer),
      onproblem: (problem) => this.showProblem(problem),
      onsearch: () => this.writeAddress(),
    });
    this.precision = precisionSection(this.path, task);
    this.shares = task.level_values.length > 2 ? sharesTable({ requests, task, address }) : null;
    this.further = this.furtherSection(address);
    const panel = optionsPanel(task, this.options, (name, value) => this.choose(name, value)),
      shares = this.shares?.element;
    replace(known, this.verdict, panel, this.chart.element, shares, this.table.element, this.downloads());
    const parts = [this.empty, this.candidates?.element, this.said, this.computing, this.warned, known];
    replace(
      this.element,
      make("section", { "aria-label": "Results" }, make("h2", {}, "Results"), ...parts),
      this.further?.element,
      this.precision.element,
    );
  }

  // What is known beyond single keys: within groups, or of keys together. Shown once there are numbers.
  furtherSection(address) {
    const { task, requests, options } = this,
      onproblem = (problem) => this.showProblem(problem),
      Section = task.segment ? SegmentsSection : task.together ? PairsSection : null,
      section = Section && new Section({ requests, task, address, options, onproblem });
    section?.element.toggleAttribute("hidden", true);
    return section;
  }

  // A hashed key is told from noise among all that were asked for: alone, more easily.
  keyAddress(key) {
    const address = `#/tasks/${this.id}/keys/${encodeURIComponent(key)}`;
    return withSettings(address, changedOptions(this.task, this.options));
  }

  writeAddress() {
    this.onsettings({ ...changedOptions(this.task, this.options), search: this.table.search });
  }

  choose(name, value) {
    this.options[name] = value;
    this.writeAddress();
    this.redraw();
  }

  lookFor(keys) {
    this.requests.keys = keys;
    this.table.offset = 0;
    this.redraw();
  }

  downloads() {
    const sort = isHashed(this.task) ? "detected" : "",
      send = (accept) => this.requests.send("estimates", { ...this.options, sort }, { accept });
    const picture = async () => ({
      blob: new Blob([await this.chart.svg()], { type: "image/svg+xml" }),
      name: `${this.chart.spec.usermeta.file}.svg`,
    });
    return downloads({ ...answersAs(TABLES, send), SVG: picture }, (error) => this.showProblem(error));
  }

  showNumbers(answer) {
    const { reports, verdict, warning = [] } = answer,
      [first, ...others] = verdict.slice(warning.length);
    this.counted = reports;
    this.known.hidden = false;
    this.further?.element.toggleAttribute("hidden", false);
    this.further?.show?.(answer);
    replace(this.warned, warning.length ? warningBox([...warning, ...this.publicNote()]) : null);
    const rest = others.map((sentence) => make("p", {}, sentence));
    replace(this.verdict, make("div", { class: "note" }, make("p", { class: "answer" }, first), ...rest));
    if (this.candidates) this.showCandidates();
  }

  publicNote() {
    return this.task.public_results ? ["The public page shows no numbers while this is so."] : [];
  }

  // Numbers that do not follow the options would be taken for those that do.
  showProblem(problem) {
    replace(this.said, problem && !isLost(problem) ? alertBox(problem.message) : null);
    if (problem && problem.status !== 400) return;
    const { verdict, chart, shares, table, further } = this;
    for (const element of [verdict, ...[chart, shares, table, further].map((part) => part?.element)])
      element?.toggleAttribute("hidden", Boolean(problem));
  }

  // The numbers first: charts need a script that takes longer to load.
  redraw = newestOnly(async (signal) => {
    this.pace.begin(this.task.reports);
    const slow = setTimeout(() => this.sayComputing(), SAY_AFTER_MILLISECONDS);
    signal.addEventListener("abort", () => clearTimeout(slow));
    const answered = await this.table.refresh();
    if (signal.aborted) return;
    clearTimeout(slow);
    this.computing.textContent = "";
    const complete = answered && (await this.drawCharts(signal));
    if (!signal.aborted) this.pace.end(complete);
  });

  sayComputing() {
    const keys = plural(this.requests.keys?.length ?? this.task.keys, "key"),
      last = this.counted ? `; the last result is from ${plural(this.counted, "report")}` : "";
    this.computing.textContent = `Computing estimates of ${keys} from ${plural(this.task.reports, "report")} …${last}`;
  }

  async drawCharts(signal) {
    const { options, requests } = this;
    try {
      const spec = await requests.ask("chart", options, { signal });
      const precisely = { ...options, candidates: requests.keys?.length };
      await Promise.all([
        this.chart.draw(spec),
        this.shares?.refresh(options),
        this.further?.refresh(options),
        this.precision.refresh(precisely),
      ]);
    } catch (error) {
      if (!signal.aborted) this.showProblem(error);
      return false;
    }
    return true;
  }

  showCandidates() {
    this.candidates.element.hidden = !this.task.reports;
    this.candidates.showSince(this.counted ? this.task.reports - this.counted : 0);
  }

  // A search for hashed keys may take long: it starts on request, and is repeated only if it failed.
  waitsForKeys() {
    return this.candidates !== null && (this.requests.keys === null || this.pace.reports >= 0);
  }

  stop() {
    this.redraw.stop();
    for (const part of [this.table, this.chart, this.shares, this.further, this.precision]) part?.stop();
  }
}
