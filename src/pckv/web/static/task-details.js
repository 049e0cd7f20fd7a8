// The facts of a task that few people need, behind a disclosure.
import { make, plural, replace } from "./page.js";

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
  const element = make("details", { class: "card" }, make("summary", {}, make("h2", {}, "Details")), list);
  return { element, show };
}

const IN_HEAD = ["name", "question"];

// Names and texts as entries of a list of facts, without those that the head of a page shows or that have no text.
export function factEntries(facts) {
  return facts
    .filter(([name, text]) => text && !IN_HEAD.includes(name))
    .map(([name, text]) =>
      make(
        "div",
        {},
        make("dt", {}, name.replace(/^[a-z]/, (letter) => letter.toUpperCase())),
        make("dd", {}, name === "id" ? make("code", {}, text) : text),
      ),
    );
}

function alarms({ alarms: found }) {
  if (!found) return "not checked yet";
  const what = found.unusual.length ? "found, see above" : found.sentences.join(" ");
  return `${what} (${plural(found.reports, "report")}, checked ${found.checked.slice(0, 16).replace("T", " ")} UTC)`;
}
