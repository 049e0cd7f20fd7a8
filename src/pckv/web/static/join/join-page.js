// The participant's page: what is asked, the form, and what became of the report. The report itself is shown
// only after it was sent: whether a participant sends it must not depend on it, since no ε covers that.
import { PckvError, coinOf, perturb } from "/client/index.js";
import { alertBox, announce, make, replace } from "../shared/page.js";
import { AnswerForm } from "./answer-form.js";
import { day, pageLanguage, say, speak, told } from "./join-strings.js";
import { contactLine, facts, heading, helpLink, privacy, remembered, showBudget, sumsOf } from "./join-privacy.js";
import { languageField } from "./language-field.js";
import { mixedValues, receiverOf } from "./mixed.js";
import { translate } from "./texts.js";
import { Waiting } from "./waiting.js";

const STILL_SECONDS = 5;
const { host } = location,
  main = document.getElementById("main");
const body = make("div"),
  budget = make("div", { id: "budget" }),
  forgetful = make("div");
// The tabs of a browser tell each other that something became of a report.
const tabs = new BroadcastChannel("pckv-join");
let client, id, invitation, task, typed, segment;
// Sends the report that waits, if one does.
let waiting;
// Of a repeated survey: what is said about its rounds.
let rounds;
// Shows what is shown again, in another language.
let redraw;
// Whether a request of this tab decides what is shown next.
let busy = false;

export async function start(theClient, theId, theInvitation, answered) {
  [client, id, invitation] = [theClient, theId, theInvitation];
  document.documentElement.lang = pageLanguage();
  try {
    const { task: found, receipt, checked, error, repeated } = await answered;
    [task, rounds] = [found, repeated];
    await speakTheirs();
    if (error) throw error;
    frame();
    if (rounds && !rounds.isNow) {
      // The page may be left open until then.
      document.addEventListener("visibilitychange", () => new Date() >= (rounds.due ?? Infinity) && location.reload());
      return showTurn();
    }
    if (rounds) ({ id } = task);
    if (receipt) show(receipt, { before: true });
    else await ask(checked, task.segment && (await import("./segment-field.js")));
  } catch (error) {
    return showPanel(error);
  }
  tabs.onmessage = refresh;
  document.addEventListener("visibilitychange", refresh);
  addEventListener("online", sendWaiting);
  await sendWaiting();
}

// The page's own sentences and the texts of the task, in the nearest languages that there are.
async function speakTheirs() {
  if (task) await translate(task);
  else await speak();
  document.documentElement.lang = pageLanguage();
}

const frame = () => replace(main, languageField(task, changeLanguage), heading(task), body, forgetful);

async function changeLanguage() {
  await speakTheirs();
  if (task) frame();
  try {
    await redraw();
  } catch (error) {
    await showPanel(error);
  }
  document.getElementById("language").focus();
}

// What another tab did shows here too.
async function refresh() {
  if (busy) return;
  const receipt = await client.receipt(id);
  if (receipt && !busy && receipt.status !== body.firstChild?.dataset.state) show(receipt, { before: true });
}

// `former` is the form in another language, whose answers are kept.
async function ask(checked, ofSegment, former) {
  const view = make("div");
  // Made while the collector is asked, and shown once it is known that a report would be taken.
  const form = new AnswerForm(task, ofSegment, submit);
  if (former) form.take(former);
  redraw = () => ask(checked, ofSegment, form);
  const protection = privacy(task, invitation, budget, view),
    parts = [facts(task), rounds?.about(), protection, form.element].filter(Boolean);
  await checked;
  replace(body, ...parts);
  await showBudget(client, task, Boolean(rounds), budget, forgetful);
  // The page does not wait for the example.
  import("./report-view.js").then(
    ({ exampleOf }) => replace(view, exampleOf(task, example)),
    () => replace(view, alertBox(say("example_failed"))),
  );
}

// A report of other pairs, with its own coin where the collector draws one.
async function example(pairs) {
  const number = crypto.getRandomValues(new Uint8Array(16));
  const coin = task.coin === "server" ? await coinOf(task, number) : undefined;
  return perturb(task, pairs, { coin, segment: task.segment?.labels[0] });
}

// Between two turns of this device.
function showTurn() {
  const { title, words } = rounds.turn();
  redraw = showTurn;
  replace(
    body,
    make(
      "section",
      { class: "panel", "data-state": rounds.state, "aria-label": title },
      make("h2", { tabindex: "-1" }, title),
      make("p", {}, words),
      rounds.calendar(),
    ),
    facts(task),
    remembered(budget),
  );
  announce(`${title}. ${words}`);
  showBudget(client, task, Boolean(rounds), budget, forgetful);
}

// Which panel says why taking part is not possible, and what its sentence needs.
function panelOf(error) {
  if (!globalThis.isSecureContext) return ["no_crypto"];
  if (error instanceof DOMException || !globalThis.indexedDB) return ["storage"];
  if (!(error instanceof PckvError)) return ["unexpected", { reason: error.message }];
  const phase = task?.phase(),
    { code } = error;
  if (code === "preview") return [code];
  if (task?.series && !rounds) return ["series"];
  if (phase === "closed") return ["ended", { day: day(task.closes, -1) }];
  if (phase === "waiting" || (code === "not_open" && task?.opens)) return ["not_open", { day: day(task.opens) }];
  if (code === "invitation_unknown" && !invitation) return ["invitation_needed"];
  if (task?.mixer && ["not_accepted", "unknown"].includes(code)) return ["not_accepted", mixedValues(task)];
  return { wrong_task: ["unknown"], not_sent: ["unreachable"] }[code] ?? [PANELS.includes(code) ? code : "refused"];
}

// The codes of the client that have their own panel.
const PANELS = [
  "closed",
  "deleted",
  "unknown",
  "invitation_unknown",
  "invitation_spent",
  "answered",
  "over_budget",
  "cannot_seal",
];
// Those that follow from what the receiver of the reports says, which may be a mixer.
const RECEIVER_PANELS = ["invitation_unknown", "refused", "unreachable"];

// Where it was said: by the receiver of the reports, or by what was asked for the task, or else on this page.
function saidBy(name) {
  if (task) return RECEIVER_PANELS.includes(name) ? receiverOf(task) : host;
  return [...RECEIVER_PANELS, "unknown"].includes(name) ? new URL(client.url).host : host;
}

// Why taking part is not possible, above everything else that is known about the survey.
async function showPanel(error) {
  if (!(error instanceof PckvError || error instanceof DOMException)) console.error(error);
  redraw = () => showPanel(error);
  const [name, values] = panelOf(error),
    behind = name === "over_budget" ? await limits() : [];
  const title = make("h2", { tabindex: "-1" }, say(`panel_${name}_title`)),
    words = say(`panel_${name}`, { host: saidBy(name), ...values });
  const again = () => make("button", { type: "button", onclick: () => location.reload() }, say("try_again"));
  const panel = make(
    "section",
    { class: "panel", "data-state": name },
    title,
    make("p", {}, words),
    ...behind,
    ["unreachable", "preview"].includes(name) ? again() : null,
    ["closed", "ended", "answered"].includes(name) ? resultsLink() : null,
    name === "series" ? make("p", {}, make("a", { href: `/join/${task.series.id}` }, say("open_series"))) : null,
  );
  const choice = languageField(task, changeLanguage);
  if (!task) return replace(main, choice, make("h1", {}, host), panel);
  replace(main, choice, heading(task), panel, contactLine(task));
  announce(`${title.textContent}. ${words}`);
}

// Where everybody sees the results, if they are public.
function resultsLink() {
  const href = told("results");
  return href ? make("p", {}, make("a", { href }, say("see_results"))) : null;
}

// The numbers behind a limit that this task would pass, and where they are explained.
async function limits() {
  const { spent, cap, localSpent, localCap } = await sumsOf(client),
    cost = task.realisedEpsilon,
    sum = spent + cost > cap ? { spent, cap } : { spent: localSpent, cap: localCap };
  const numbers = task.mixer ? say("limits_mixed", mixedValues(task)) : say("limits", { host, cost, ...sum });
  return [make("details", {}, make("summary", {}, say("limits_title")), make("p", {}, numbers)), helpLink()];
}

// Shows progress: nothing can be changed meanwhile, and after some seconds it says that it still tries.
async function whileSending(said, button, parts, work, quiet = false) {
  const values = { host: receiverOf(task) },
    tell = (key) => replace(said, make("p", { role: "status", class: "progress" }, say(key, values)));
  const timer = quiet ? undefined : setTimeout(() => tell("still"), 1000 * STILL_SECONDS);
  busy = true;
  button.disabled = !quiet;
  const others = quiet ? parts : [...parts, document.getElementById("language")];
  for (const part of others) part.inert = true;
  if (!quiet) tell("sending");
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    busy = false;
    button.disabled = false;
    for (const part of others) part.inert = false;
    replace(said);
  }
}

// Makes and sends the report of a form that is filled in.
async function submit(answers) {
  typed = answers.form.held();
  segment = answers.segment?.label;
  try {
    const submitted = () => client.submit(id, typed, { invitation, segment });
    show(await whileSending(answers.said, answers.button, [answers.fields], submitted));
  } catch (error) {
    if (error.code === "refused") return show(await client.receipt(id));
    // The page says when the next turn is.
    if (rounds && ["not_due", "not_open", "closed", "deleted"].includes(error.code)) return location.reload();
    if (error.code === "not_sent" && task.phase() === "open")
      return answers.tell(say("not_reached", { host: receiverOf(task) }));
    await showPanel(error);
  }
}

// What became of the report, by the status of its receipt.
const STATES = {
  sent: () => ["sent_title", task.mixer ? say("sent_mixed", mixedValues(task)) : say("sent")],
  waiting: () => ["waiting_title", say("waiting", { host: receiverOf(task) }), say("waiting_same")],
  refused: ({ reason }) => ["refused_title", refusal(reason), say("refused_kept")],
};

function refusal(reason) {
  const [code] = reason.split(":");
  return REFUSALS.includes(code) ? say(`refused_${code}`) : say("refused_other", { host: receiverOf(task) });
}

const REFUSALS = ["closed", "deleted", "invitation_spent", "invitation_unknown"];

// Whether other people can answer: of a report that waits still, that it comes too late is told once that is known.
function ofOthers(status) {
  if (rounds) return null;
  if (told("closed")) return status === "sent" ? say("before_closed") : null;
  return told("anyone") ? say("before_open") : null;
}

// Shows the state of the report that a receipt describes. Only a report that was not taken can be sent again.
function show(receipt, { before = false } = {}) {
  redraw = () => show(receipt, { before });
  const { status, reason, report } = receipt,
    [title, ...words] = STATES[status](receipt);
  const head = make("h2", { tabindex: "-1" }, say(title)),
    said = make("div"),
    view = make("div");
  const other = status === "refused" && invitation && reason.startsWith("invitation_"),
    label = status === "waiting" ? "try_now" : other ? "try_again" : null;
  const button =
    label && make("button", { type: "button", class: "main", onclick: () => sendAgain(said, button) }, say(label));
  waiting?.stop();
  waiting = status === "waiting" ? new Waiting(() => sendAgain(said, button, { quiet: true })) : undefined;
  replace(
    body,
    make(
      "section",
      { class: "panel", "aria-label": say(title), "data-state": status },
      head,
      ...words.map((text) => make("p", {}, text)),
      before ? make("p", {}, make("small", {}, [say("before"), ofOthers(status)].filter(Boolean).join(" "))) : null,
      said,
      waiting?.element,
      button,
      status === "sent" ? resultsLink() : null,
    ),
    status === "waiting" ? null : rounds?.next(),
    view,
    remembered(budget),
    helpLink(),
    contactLine(task),
  );
  head.focus();
  announce(`${head.textContent}. ${words.join(" ")}`);
  tabs.postMessage(id);
  showBudget(client, task, Boolean(rounds), budget, forgetful);
  if (report) showReport(view, report, before);
}

// A person who opens the page later on the same device sees what was sent only on request.
async function showReport(view, report, isFolded) {
  try {
    const { whatLeft } = await import("./report-view.js"),
      shown = whatLeft(task, report, typed, segment);
    replace(view, isFolded ? make("details", {}, make("summary", {}, say("see_report")), shown) : shown);
  } catch {
    replace(view, alertBox(say("example_failed")));
  }
}

// Sends the stored bytes; of an attempt by itself, only what changed is told. Returns whether it waits still.
async function sendAgain(said, button, { quiet = false } = {}) {
  if (busy) return true;
  const attempt = () =>
    client.send(id, { invitation }).catch((error) => {
      if (error.code !== "refused") throw error;
      return client.receipt(id);
    });
  let receipt;
  try {
    receipt = await whileSending(said, button, [], attempt, quiet);
  } catch (error) {
    // The browser's storage, for one: what fails now may not the next time.
    console.error(error);
    return true;
  }
  if (quiet && receipt.status === "waiting") return true;
  show(receipt);
  return false;
}

// Once there is a network, what waits is sent: this report, then those of other surveys.
async function sendWaiting() {
  await waiting?.attempt();
  await client.flush();
  await refresh();
}
