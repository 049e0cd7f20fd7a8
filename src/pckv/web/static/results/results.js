// What the reports of a task tell: a finding, a chart, a table, downloads, precision, and how it was estimated.
import { withSettings } from "../shared/address.js";
import { pictureOf } from "../shared/chart.js";
import { isLost, Pace } from "../shared/connection.js";
import { answersAs, downloads, TABLES } from "../shared/downloads.js";
import { t, language } from "../shared/language.js";
import { alertBox, count, debounced, make, newestOnly, plural, replace, warningBox } from "../shared/page.js";
import { told, toldVerdict } from "../shared/told.js";
import { BarsFigure, readingOf } from "./bars.js";
import { candidatesForm } from "./candidates.js";
import { changedOptions, isHashed, optionsPanel, readOptions, levelText } from "./estimate-options.js";
import { estimatesTable } from "./estimates.js";
import { emptyText, findingOf } from "./finding.js";
import { PairsSection } from "./pairs.js";
import { panelsOf, ROWS_DRAWN } from "./panels.js";
import { precisionSection } from "./precision.js";
import { PrintedReport } from "./printed-report.js";
import { EstimateRequests, isOutdated, MAX_RENEWALS } from "./requests.js";
import { SegmentsSection } from "./segments.js";
import { sharesSection } from "./shares.js";

// Estimates that take longer than this are announced.
const SAY_AFTER_MILLISECONDS = 400;

export class ResultsSection {
  // `settings` are those of the address; `onsettings` is called with those that belong there now. `oncounted` is called
  // when the number of responses changed that the page is from: `counted`, null before there are any.
  constructor({ id, path, settings, onsettings, oncounted = () => {} }) {
    Object.assign(this, { id, path, settings, onsettings, oncounted, pace: new Pace(), counted: null, renewals: 0 });
    this.said = make("div");
    this.warned = make("div");
    this.finding = make("div", { class: "finding-place", "aria-live": "polite" });
    this.verdict = make("div", { class: "verdict" });
    this.from = make("p", { class: "soft", role: "status" });
    this.computing = make("p", { class: "computing", role: "status" });
    this.empty = make("p", { class: "note", hidden: true });
    // Shown once there are numbers.
    this.known = make("div", { hidden: true });
    this.element = make("div");
    this.chart = new BarsFigure();
  }

  // Called with every overview of the task.
  show(task) {
    const first = this.task === undefined;
    this.task = task;
    if (first) this.build();
    this.empty.hidden = task.reports > 0;
    this.empty.textContent = emptyText(task);
    this.showCount();
    this.report.update(task);
    // Nothing can become more precise before there is anything, and after the end.
    this.precision.element.hidden = !task.reports || task.phase === "closed";
    if (!this.pace.isDue(task.reports)) return;
    if (task.reports && this.waitsForKeys()) {
      if (first) this.precision.refresh(this.options);
    } else if (task.reports) this.redraw();
    else this.pace.reports = 0;
  }

  build() {
    const { task, known } = this;
    this.requests = new EstimateRequests(this.path, isHashed(task) ? "detected" : "-frequency", () => this.redraw());
    this.options = readOptions(task, this.settings);
    // An analyst names the hashed keys to look for.
    this.candidates = isHashed(task) ? candidatesForm(task.id, (keys) => this.lookFor(keys)) : null;
    const { requests, options } = this,
      onproblem = (problem) => this.showProblem(problem),
      address = isHashed(task) ? null : (key) => this.keyAddress(key);
    this.table = estimatesTable({
      requests,
      task,
      options,
      search: this.settings.search ?? "",
      address,
      onanswer: (answer) => this.further?.showRows?.(answer),
      onproblem,
      onsearch: () => this.writeAddress(),
    });
    this.precision = precisionSection(requests, task, onproblem);
    this.shares = task.level_values.length > 2 ? sharesSection({ task, address }) : null;
    const Section = task.segment ? SegmentsSection : task.together ? PairsSection : null;
    this.further = Section && new Section({ requests, task, address, options, onproblem });
    this.further?.element.toggleAttribute("hidden", true);
    this.report = new PrintedReport(this.element);
    const panel = optionsPanel(task, options, (name, value) => this.choose(name, value)),
      print = make("button", { type: "button", onclick: () => this.report.open() }, t("Print or save as PDF")),
      saved = make("div", { class: "saved" }, make("div", { class: "buttons" }, print), this.downloads()),
      parts = [this.chart.element, this.table.element, this.shares?.element, saved, panel];
    replace(known, this.verdict, this.from, ...parts);
    const label = t("Results"),
      top = [this.empty, this.candidates?.element, this.said, this.computing, this.warned, this.finding, known];
    replace(
      this.element,
      make("section", { "aria-label": label }, make("h2", { class: "hidden-text" }, label), ...top),
      this.further?.element,
      this.precision.element,
    );
    this.candidates?.restore();
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
    // What is computed for the options before is not wanted.
    this.redraw.stop();
    this.redrawSoon();
  }

  // Once for several choices in short succession: what was begun goes on at the collector.
  redrawSoon = debounced(() => this.element.isConnected && this.redraw());

  lookFor(keys) {
    this.requests.keys = keys;
    this.table.offset = 0;
    if (this.task.reports) this.redraw();
  }

  downloads() {
    const sort = isHashed(this.task) ? "detected" : "",
      send = (accept) => this.requests.file("estimates", { ...this.options, sort, language }, { accept });
    const picture = async () => {
      const spec = await (await this.requests.file("chart", this.options)).json(),
        drawn = await pictureOf(spec, t("The most frequent answers with their ranges"));
      return { blob: new Blob([drawn], { type: "image/svg+xml" }), name: `${spec.usermeta.file}.svg` };
    };
    return downloads({ ...answersAs(TABLES, send), SVG: picture }, (error) => this.showProblem(error));
  }

  // All at once: numbers of two snapshots never stand side by side.
  showNumbers() {
    const { task, requests } = this,
      { content: answer, total } = requests.first,
      { reports, verdict, warning = [] } = answer,
      others = verdict.slice(warning.length),
      rows = answer.estimates.filter(({ key }) => key !== task.other),
      isPart = requests.keys !== null || total - Number(task.other !== null) > rows.length;
    this.counted = reports;
    this.known.hidden = false;
    this.further?.element.toggleAttribute("hidden", false);
    replace(this.warned, warning.length ? warningBox([...warning.map(told), ...this.publicNote()]) : null);
    const finding = (ofTask) => findingOf({ rows, answer, task: ofTask, isPart });
    replace(this.finding, ...finding(task));
    const sentences = toldVerdict(others, task);
    replace(this.verdict, make("div", { class: "note" }, ...sentences.map((sentence) => make("p", {}, sentence))));
    const panels = panelsOf(rows, task),
      caption = readingOf(panels, { level: levelText(this.options.level), method: answer.method });
    this.chart.show(
      panels,
      rows.length > ROWS_DRAWN
        ? `${t("The first {number} answer options.", { number: count(ROWS_DRAWN) })} ${caption}`
        : caption,
    );
    this.shares?.show(rows);
    this.report.show({ task, answer, rows, finding, sentences, options: this.options });
    this.showCount();
    this.oncounted();
  }

  // Reports that came meanwhile are told of, not counted: all numbers that are shown are from the same reports.
  showCount() {
    const { counted, task } = this,
      more = counted === null ? 0 : task.reports - counted;
    this.candidates?.element.toggleAttribute("hidden", !task.reports);
    const since =
      more <= 0
        ? ""
        : this.candidates
          ? t("{more} since: look again to count them.", { more: plural(more, "more response") })
          : t("{more} since; they are counted at the next update.", { more: plural(more, "more response") });
    const text =
      counted === null ? "" : `${t("From {responses}.", { responses: plural(counted, "response") })} ${since}`.trim();
    if (this.from.textContent !== text) this.from.textContent = text;
  }

  publicNote() {
    return this.task.public_results ? [t("The public page shows no numbers while this is so.")] : [];
  }

  // Numbers that do not follow the options would be taken for those that do.
  showProblem(problem) {
    if (isOutdated(problem)) return this.renew();
    replace(this.said, problem && !isLost(problem) ? alertBox(problem.message) : null);
    if (problem && problem.status !== 400) return;
    const { finding, verdict, chart, shares, table, further } = this;
    for (const element of [finding, verdict, ...[chart, shares, table, further].map((part) => part?.element)])
      element?.toggleAttribute("hidden", Boolean(problem));
  }

  // In the end with the next regular look.
  renew() {
    if (this.renewals++ < MAX_RENEWALS) this.redraw();
  }

  redraw = newestOnly(async (signal) => {
    this.pace.begin(this.task.reports);
    const slow = setTimeout(() => this.sayComputing(), SAY_AFTER_MILLISECONDS);
    signal.addEventListener("abort", () => clearTimeout(slow));
    let complete = false;
    try {
      complete = await this.update(signal);
      if (complete) this.renewals = 0;
    } catch (error) {
      if (!signal.aborted) this.showProblem(error);
    }
    if (signal.aborted) return;
    clearTimeout(slow);
    this.computing.textContent = "";
    this.pace.end(complete && this.counted >= this.pace.reports);
  });

  // The numbers first, where there are none yet; later ones replace the earlier ones together with all that belongs
  // to them.
  async update(signal) {
    const { options, requests } = this;
    await requests.begin(options, signal);
    if (signal.aborted) return false;
    this.showProblem(null);
    const show = async () => {
      const answered = await this.table.refresh();
      this.computing.textContent = "";
      if (!signal.aborted) this.showNumbers();
      return answered;
    };
    const isFirst = this.counted === null;
    if (isFirst && !(await show())) return false;
    const isOver = this.task.phase === "closed",
      precisely = { ...options, candidates: requests.keys?.length },
      loaded = await Promise.all([
        this.further?.load(options, signal),
        isOver ? null : this.precision.load(precisely, signal),
      ]);
    if (signal.aborted) return false;
    if (!isFirst && !(await show())) return false;
    for (const showPart of loaded) showPart?.();
    return true;
  }

  sayComputing() {
    const { keys } = this.requests,
      options = plural(keys?.length ?? this.task.keys, "answer option"),
      responses = plural(this.task.reports, "response");
    this.computing.textContent = t("Computing {options} from {responses} …", { options, responses });
  }

  // A search for hashed keys may take long: it starts on request, and is repeated only if it failed.
  waitsForKeys() {
    return this.candidates !== null && (this.requests.keys === null || this.pace.reports >= 0);
  }

  stop() {
    this.redraw.stop();
    this.report?.stop();
    for (const part of [this.table, this.shares, this.further, this.precision]) part?.stop?.();
  }
}
