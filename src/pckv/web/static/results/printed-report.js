// The report of a task for paper or PDF: one page with the finding, a chart, a table, and how they came about.
import { day, t } from "../shared/language.js";
import { count, make, plural, replace } from "../shared/page.js";
import { frequencyWords, meanTexts, meanTitle, UNKNOWN } from "../shared/ranges.js";
import { hasValues } from "../shared/task-words.js";
import { named, Table } from "../shared/table.js";
import { BarsFigure } from "./bars.js";
import { levelText } from "./estimate-options.js";
import { panelsOf } from "./panels.js";

// What fits on a page besides the words.
const ROWS_PRINTED = 10;

export class PrintedReport {
  // Only the browser's print builds it: the page itself has all of it.
  constructor() {
    this.element = make("article", { class: "printed-report", "aria-hidden": "true" });
    this.organisation = null;
    this.begin = () => this.content && this.print();
    this.end = () => this.element.remove();
    window.addEventListener("beforeprint", this.begin);
    window.addEventListener("afterprint", this.end);
  }

  // Opens the browser's print, with the name of those who asked.
  async open() {
    this.organisation ??= await askOrganisation();
    window.print();
  }

  // `finding` and `sentences` make elements.
  show(content) {
    this.content = content;
  }

  print() {
    const { task, answer, rows, finding, sentences, options } = this.content,
      { about } = task,
      chart = new BarsFigure(),
      shown = rows.slice(0, ROWS_PRINTED);
    chart.show(panelsOf(shown, task), "");
    replace(
      this.element,
      this.organisation ? make("p", { class: "soft" }, named(this.organisation)) : null,
      make("h1", {}, task.name),
      about.question ? make("p", {}, make("strong", {}, t("Asked:")), " ", named(about.question)) : null,
      ...finding(),
      make("p", {}, `${t("From {responses}.", { responses: plural(answer.reports, "response") })} ${when(task)}`),
      chart.element,
      tableOf(shown, task),
      shown.length < task.keys
        ? make(
            "p",
            { class: "soft" },
            t("The first {shown} of {all} answer options.", { shown: count(shown.length), all: count(task.keys) }),
          )
        : null,
      ...sentences(),
      make("p", {}, how(task)),
      make(
        "p",
        {},
        t(
          "Each range was made to hold the true number with a confidence of {level}; it is wider the fewer responses there are.",
          {
            level: levelText(options.level),
          },
        ),
      ),
    );
    document.body.append(this.element);
  }

  stop() {
    this.element.remove();
    window.removeEventListener("beforeprint", this.begin);
    window.removeEventListener("afterprint", this.end);
  }
}

// A page that cannot tell leaves the name out.
async function askOrganisation() {
  try {
    const answer = await fetch("/organisation");
    return answer.ok ? (await answer.json()).name : null;
  } catch {
    return null;
  }
}

function when({ created, opens, closes, closed, phase }) {
  const from = day(opens ?? created);
  if (phase === "closed") return t("Asked from {from} to {to}.", { from, to: day(closed ?? closes) });
  return closes
    ? t("Asked since {from}, open until {to}.", { from, to: day(closes) })
    : t("Asked since {from}.", { from });
}

const how = ({ epsilon, mixer }) =>
  mixer
    ? t(
        "Every answer was made noisy on the person's own device before it was sent, and mixed with those of others. What a single response can tell about a person is limited.",
      )
    : t(
        "Every answer was made noisy on the person's own device before it was sent: what a single response can tell about a person is limited (local differential privacy, ε = {epsilon}).",
        { epsilon },
      );

function tableOf(rows, task) {
  const title = meanTitle(task),
    columns = [
      { name: t("Answer option") },
      { name: t("Chosen by"), number: true },
      ...(title ? [{ name: title, number: true }] : []),
    ];
  const row = (each) => [named(each.key), frequencyWords(each), ...(hasValues(task) ? [valueWords(each)] : [])];
  return new Table({ columns, row, kind: "compact" }).show(rows).element;
}

function valueWords(row) {
  const { value, range } = meanTexts(row);
  return row.mean_known ? `${value} (${range})` : UNKNOWN;
}
