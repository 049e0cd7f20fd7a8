// The facts of a task or a series that few people need, behind a disclosure.
import { make, plural, replace } from "../shared/page.js";
import { windowSentence } from "../shared/task-words.js";

const disclosure = (...content) =>
  make("details", { class: "card" }, make("summary", {}, make("h2", {}, "Details")), ...content);

export function taskDetails() {
  const list = make("dl", { class: "facts" });
  let shown = "";
  function show(task) {
    const text = JSON.stringify(task);
    if (text === shown) return;
    shown = text;
    replace(
      list,
      ...factEntries([
        ...task.facts,
        ["created", task.created],
        ["closed early", task.closed],
        ["unusual reports", alarms(task)],
      ]),
    );
  }
  return { element: disclosure(list), show };
}

export function seriesDetails({ task, ...contract }, series) {
  return disclosure(
    make("p", {}, windowSentence({ ...contract, epsilon: Number(task.epsilon) })),
    task.mixer &&
      make(
        "p",
        {},
        "That is the ε of reports alone. What their recipient learns, and under which condition, stands under “Mixer”.",
      ),
    make("dl", { class: "facts" }, ...factEntries([...series.facts, ["created", series.created]])),
  );
}

// What the head of a page shows.
const IN_HEAD = ["name", "question"];

// Names and texts as entries of a list of facts, without those of the head and those that have no text.
function factEntries(facts) {
  return facts
    .filter(([name, text]) => text && !IN_HEAD.includes(name))
    .map(([name, text]) =>
      make(
        "div",
        {},
        make(
          "dt",
          {},
          name.replace(/^[a-z]/, (letter) => letter.toUpperCase()),
        ),
        make("dd", {}, name === "id" ? make("code", {}, text) : text),
      ),
    );
}

function alarms({ alarms: found }) {
  if (!found) return "not checked yet";
  const what = found.unusual.length ? "found, see above" : found.sentences.join(" ");
  return `${what} (${plural(found.reports, "report")}, checked ${found.checked.slice(0, 16).replace("T", " ")} UTC)`;
}
