// The report of a task for paper or PDF: one page with the finding, a chart, a table, and how they came about.
import { day, dayBefore, language, t } from "../shared/language.js";
import { count, make, plural, replace } from "../shared/page.js";
import { ask } from "../shared/request.js";
import { levelNames, meanTexts, meanTitle, UNKNOWN } from "../shared/ranges.js";
import { hasValues } from "../shared/task-words.js";
import { named, ranged, Table } from "../shared/table.js";
import { BarsFigure, readingOf } from "./bars.js";
import { levelText } from "./estimate-options.js";
import { shareCell } from "./estimates.js";
import { panelsOf } from "./panels.js";
import { groupPanels } from "./segments.js";
import { spreadTitle, tableOfShares } from "./shares.js";

// How many rows fit on a page besides the words, without further tables, with one, and with two: of levels and of
// groups. More groups have no room side by side.
const ROWS_PRINTED = [10, 7, 3],
  MAX_GROUPS = 5;

export class PrintedReport {
  // Only the browser's print builds it, where the results at `place` are what is seen: the page itself has all of it, and
  // other things are printed, too. Whose survey it is, is known before.
  constructor(place) {
    this.element = make("article", { class: "printed-report", "aria-hidden": "true" });
    this.organisation = this.logo = null;
    this.asked = this.askOrganisation();
    this.begin = () => this.content && place.checkVisibility() && this.print();
    this.end = () => this.element.remove();
    window.addEventListener("beforeprint", this.begin);
    window.addEventListener("afterprint", this.end);
  }

  // Opens the browser's print.
  async open() {
    await this.asked;
    window.print();
  }

  // A page that cannot tell leaves the name and the logo out.
  async askOrganisation() {
    const { name, logo } = await ask("GET", "/organisation").catch(() => ({ name: null, logo: false }));
    this.organisation = name;
    if (!logo) return;
    this.logo = make("img", { class: "asker", src: "/organisation/logo", alt: "", height: 40 });
    // A print does not wait for pictures.
    await this.logo.decode().catch(() => {});
  }

  // `finding` makes elements; `sentences` are texts.
  show(content) {
    this.content = content;
  }

  // What is known of the survey since, such as its end.
  update(task) {
    if (this.content) this.content = { ...this.content, task };
  }

  print() {
    const { task, answer, rows, finding, sentences, options } = this.content,
      { about } = task,
      hasLevels = task.level_values.length > 2,
      hasGroups = areGroupsPrinted(answer.segments),
      shown = rows.slice(0, ROWS_PRINTED[hasLevels + hasGroups]),
      chart = new BarsFigure();
    const panels = panelsOf(shown, task);
    chart.show(panels, readingOf(panels, { level: levelText(options.level), method: answer.method }));
    replace(
      this.element,
      this.logo,
      this.organisation ? make("p", { class: "soft" }, named(this.organisation)) : null,
      make("h1", {}, named(task.name)),
      about.question ? make("p", {}, make("strong", {}, t("Asked:")), " ", named(about.question)) : null,
      ...finding(task),
      make("p", {}, `${t("From {responses}.", { responses: plural(answer.reports, "response") })} ${when(task)}`),
      chart.element,
      tableOf(shown, task),
      ...(hasLevels ? spread(shown, task) : []),
      ...(hasGroups ? within(shown, answer.segments) : []),
      shown.length < task.keys
        ? make(
            "p",
            { class: "soft" },
            t("The first {shown} of {all} answer options.", { shown: count(shown.length), all: count(task.keys) }),
          )
        : null,
      make("p", {}, sentences.join(" ")),
      make("p", {}, how(task)),
      task.mixer ? null : make("p", { class: "small-print" }, technically(task)),
    );
    document.body.append(this.element);
  }

  stop() {
    this.element.remove();
    window.removeEventListener("beforeprint", this.begin);
    window.removeEventListener("afterprint", this.end);
  }
}

// Groups of which something is known; otherwise a sentence of the verdict says that nothing stands out.
const areGroupsPrinted = (segments) =>
  Boolean(segments) && segments.labels.length <= MAX_GROUPS && segments.cells.some(({ detected }) => detected);

// The shares within groups, of those keys that stand out in one, in a line each.
function within(rows, segments) {
  const panels = groupPanels(segments, rows),
    found = rows
      .map(({ key }, place) => ({ key, cells: panels.map((panel) => panel.rows[place]) }))
      .filter(({ cells }) => cells.some(({ detected }) => detected)),
    columns = [{ name: t("Answer option") }, ...panels.map(({ title }) => ({ name: title, number: true }))],
    row = ({ key, cells }) => [named(key), ...cells.map(({ shown, range }) => ranged(shown, range))];
  const title = make("p", { class: "bar-title" }, t("Within each group: {name}", { name: segments.name }));
  if (!found.length) return [title, make("p", {}, t("Of these answer options, no share within a group is known."))];
  return [title, new Table({ columns, row, kind: "compact" }).show(found).element];
}

const today = () => new Date().toISOString().slice(0, 10);

function when({ created, opens, closes, closed, phase }) {
  const from = day(opens ?? created);
  if (phase === "closed") {
    const to = day(closed ?? dayBefore(closes));
    return from === to ? t("Asked on {from}.", { from }) : t("Asked from {from} to {to}.", { from, to });
  }
  return closes
    ? t("As of {today}. Asked since {from}, until the end of {to}.", {
        today: day(today()),
        from,
        to: day(dayBefore(closes)),
      })
    : t("As of {today}. Asked since {from}.", { today: day(today()), from });
}

const how = ({ mixer }) =>
  mixer
    ? t(
        "Every answer was made noisy on the person's own device before it was sent, and mixed with those of others. What a single response can tell about a person is limited.",
      )
    : t(
        "Every answer was made noisy on the person's own device before it was sent. What a single response can tell about a person is limited, also towards those who collect it.",
      );

const technically = ({ epsilon }) =>
  t("For specialists: local differential privacy with ε = {epsilon}.", {
    epsilon: Number(epsilon).toLocaleString(language),
  });

// The shares of the levels of those keys whose holders are known.
function spread(rows, { about, level_values: values }) {
  const known = rows.filter(({ shares, detected }) => shares && detected);
  if (!known.length) return [];
  return [
    make("p", { class: "bar-title" }, spreadTitle(about.unit)),
    tableOfShares(known, levelNames(values, about), named),
  ];
}

function tableOf(rows, task) {
  const title = meanTitle(task),
    columns = [
      { name: t("Answer option") },
      { name: t("Chosen by"), number: true },
      ...(title ? [{ name: title, number: true }] : []),
    ];
  const row = (each) => [named(each.key), shareCell(each), ...(hasValues(task) ? [valueWords(each)] : [])];
  return new Table({ columns, row, kind: "compact chosen" }).show(rows).element;
}

function valueWords(row) {
  const { value, range } = meanTexts(row);
  return row.mean_known ? ranged(value, range) : UNKNOWN;
}
