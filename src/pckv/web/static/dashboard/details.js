// The facts of a task or a series that few people need, behind a disclosure.
import { count, make, pairs, percent, plural, replace } from "../shared/page.js";
import { levelTexts } from "../shared/ranges.js";
import { isDiscovery, windowSentence } from "../shared/task-words.js";

const facts = (values) =>
  Object.entries(values).map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)));

const disclosure = (...content) =>
  make("details", { class: "card" }, make("summary", {}, make("h2", {}, "Details")), ...content);

export function taskDetails() {
  const list = make("dl", { class: "facts" });
  let shown = "";
  function show(task) {
    const text = JSON.stringify(task);
    if (text === shown) return;
    shown = text;
    replace(list, ...facts(entries(task)));
  }
  return { element: disclosure(list), show };
}

export function seriesDetails({ task, ...contract }, series) {
  const one = series.panels === 1 ? "every round" : `one round out of ${count(series.panels)}`;
  const values = {
    Rounds: `${series.rounds ? count(series.rounds) : "no end"}, of ${plural(series.period, "day")} each`,
    "First day": series.first,
    Panels: `${count(series.panels)}; a device reports in ${one}`,
    Keys: keysText({ keys: series.keys, other: task.other }),
    Values: valuesText(task),
    "ε of a report": task.epsilon,
    Mechanism: `${series.mechanism}, for up to ${pairs(task.padding)}`,
    Created: series.created,
    Id: make("code", {}, series.id),
  };
  return disclosure(
    make("p", {}, windowSentence({ ...contract, epsilon: Number(task.epsilon) })),
    make("dl", { class: "facts" }, ...facts(values)),
  );
}

const TEXTS = {
  Description: "description",
  "Who may take part": "eligibility",
  Consent: "consent",
  Contact: "contact",
};

function entries(task) {
  const about = Object.entries(TEXTS).filter(([, name]) => task.about[name]);
  return {
    ...Object.fromEntries(about.map(([name, member]) => [name, task.about[member]])),
    Keys: keysText(task),
    ...(isDiscovery(task) ? {} : { Values: valuesText(task), Levels: levels(task) }),
    ε: `${task.epsilon} (realised ${task.realised_epsilon})`,
    Mechanism: `${task.mechanism}, padding ${count(task.padding)}`,
    ...(task.coin === "server" ? { "Random functions": "drawn by the collector, one per invitation" } : {}),
    [`More than ${isDiscovery(task) ? plural(task.padding, "text") : pairs(task.padding)}`]: larger(task),
    "Bytes per report": count(task.bytes_per_report),
    Created: task.created,
    Days: days(task),
    "Unusual reports": alarms(task),
    Id: make("code", {}, task.id),
  };
}

function keysText({ keys, other }) {
  if (keys.alphabet) {
    return `unknown; found up to ${plural(keys.characters, "character")} of these: “${keys.alphabet}”, from ${plural(keys.groups, "group")} of people`;
  }
  if (keys === "hashed") return "any text; those to estimate are named afterwards";
  return other === null
    ? count(keys)
    : `${count(keys)}, of which “${other}” stands for all that are not listed`;
}

function valuesText({ low, high, about: { unit, low_label, high_label } }) {
  const end = (value, label) => (label ? `${value} (${label})` : value);
  return `${end(low, low_label)} to ${end(high, high_label)}${unit ? ` ${unit}` : ""}`;
}

// Two are what a report tells of a value unless a task says otherwise.
function levels({ levels: given, level_values: values, between }) {
  if (given === 2 && between === "round") return "2: reported as low or high";
  const rule =
    between === "refuse"
      ? "nothing in between is taken"
      : "values in between are rounded to one of two, at random";
  return `${values.length}: ${levelTexts(values).join(", ")}; ${rule}`;
}

function days({ closed, opens, closes }) {
  if (closed) return `closed early on ${closed}`;
  const from = opens ? `from ${opens}` : "",
    until = closes ? `until ${closes}` : "";
  return `${from} ${until}`.trim() || "no days set";
}

function alarms({ alarms: found }) {
  if (!found) return "not checked yet";
  const what = found.unusual.length ? "found, see above" : found.sentences.join(" ");
  return `${what} (${plural(found.reports, "report")}, checked ${found.checked.slice(0, 16).replace("T", " ")} UTC)`;
}

function larger(task) {
  if (task.more === "refuse") return `nobody may: at most ${count(task.padding)}`;
  if (task.padding >= task.keys) return "nobody can";
  const asked = task.size_share
    ? `${percent(task.size_share)} of the reports say how many`
    : "nobody is asked how many";
  return `a random choice is reported; ${asked}`;
}
