// The facts of a survey that few people need: technical words with explanations, and how programs ask for results.
import { day, t } from "../shared/language.js";
import { term, withEpsilon } from "../shared/glossary.js";
import { make, plural, replace } from "../shared/page.js";
import { snippet } from "../shared/snippet.js";
import { named } from "../shared/table.js";
import { windowSentence } from "../shared/task-words.js";
import { told } from "../shared/told.js";

// The word of the glossary that explains a fact.
const TERMS = {
  keys: "key",
  "first keys": "key",
  levels: "level",
  segment: "groups",
  together: "together",
  "pairs per report": "padding",
  "keys per report": "padding",
  "ε of a report": "epsilon",
  mechanism: "mechanism",
  "default method": "method",
  "bytes per report": "report",
  mixer: "mixer",
  batch: "mixer",
  series: "series",
};
// What the head of a page shows.
const IN_HEAD = ["name", "question"];
// What people wrote is shown as it is.
const WRITTEN = ["description", "who may take part", "consent", "contact", "first keys"];

const section = (title, ...content) => make("section", { "aria-label": title }, make("h2", {}, title), ...content);

export function taskDetails() {
  const list = make("dl", { class: "facts" }),
    lines = make("div"),
    element = make("div", {}, section(t("Facts"), list), lines);
  let shown = "";
  function show(task) {
    const text = JSON.stringify([task.facts, task.alarms, task.closed]);
    if (text === shown) return;
    shown = text;
    replace(
      list,
      ...factEntries([
        ...task.facts,
        ["default method", task.method],
        ["published", day(task.created)],
        ["closed early", task.closed && day(task.closed)],
        ["unusual reports", alarms(task)],
      ]),
    );
    replace(lines, programs(task), card(task));
  }
  return { element, show };
}

export function seriesDetails({ task, ...contract }, series) {
  return section(
    t("Facts"),
    make("p", {}, ...withEpsilon(windowSentence({ ...contract, epsilon: Number(task.epsilon) }))),
    task.mixer &&
      make(
        "p",
        {},
        t(
          "That is the ε of reports alone. What their recipient learns, and under which condition, stands under “Mixer”.",
        ),
      ),
    make("dl", { class: "facts" }, ...factEntries([...series.facts, ["published", day(series.created)]])),
  );
}

// Names and texts as entries of a list of facts, without those of the head and those that have no text.
function factEntries(facts) {
  return facts
    .filter(([name, text]) => text && !IN_HEAD.includes(name))
    .map(([name, text]) => {
      const shown = nameOf(name),
        title = name in TERMS ? term(TERMS[name], shown) : shown;
      return make(
        "div",
        {},
        make("dt", {}, title),
        make("dd", {}, name === "id" ? make("code", {}, text) : WRITTEN.includes(name) ? named(text) : told(text)),
      );
    });
}

const OWN_NAMES = {
  "default method": t("Default method"),
  published: t("Published"),
  "closed early": t("Closed early"),
  "unusual reports": t("Unusual responses"),
};

const nameOf = (name) => OWN_NAMES[name] ?? told(name).replace(/^[a-zäöü]/u, (letter) => letter.toUpperCase());

function alarms({ alarms: found }) {
  if (!found) return t("not checked yet");
  const when = {
    responses: plural(found.reports, "response"),
    moment: found.checked.slice(0, 16).replace("T", " "),
  };
  return `${found.sentences.map(told).join(" ")} ${t("(Checked: the {responses} that had come by {moment} UTC.)", when)}`;
}

function programs({ id }) {
  const { origin } = location;
  return section(
    t("For programs"),
    make("p", {}, t("With a token of an analyst, programs read the same results:")),
    snippet(t("Results as JSON"), `curl -H "Authorization: Bearer $TOKEN" "${origin}/tasks/${id}/estimates"\n`),
    snippet(t("Results in a terminal"), `pckv estimate ${id} --url ${origin} --token-file analyst.token\n`),
  );
}

const card = ({ id }) =>
  section(
    t("Privacy card"),
    make(
      "p",
      {},
      t("One page about this survey for an ethics board or a data protection officer, with its guarantee checked:"),
    ),
    snippet(t("Privacy card, in a terminal"), `pckv card ${id} --url ${location.origin} --token-file analyst.token\n`),
  );
