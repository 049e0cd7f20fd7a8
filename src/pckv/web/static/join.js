// The participant's page: what is asked, the form, what would leave this device, and the state of the report.
import { Client } from "/client/index.js";
import { alertBox, announce, count, make, percent, replace } from "./page.js";
import { PairsForm } from "./pairs-form.js";
import { whatLeaves } from "./report-view.js";

const RETRY_POLICY = { tries: 2, seconds: 15, firstPause: 0.3, timeout: 8 };
// Beyond this ratio of chances the protection is called weak.
const WEAK_RATIO = 50;
const main = document.getElementById("main"),
  id = location.pathname.split("/").at(-1);
const invitation = new URLSearchParams(location.hash.slice(1)).get("invitation") ?? undefined;
const client = new Client(location.origin, { retryPolicy: RETRY_POLICY });
const body = make("div");
let task, typed;

async function start() {
  try {
    task = await client.task(id);
  } catch (error) {
    return replace(main, make("h1", {}, "Take part"), alertBox(explained(error)));
  }
  document.title = `${task.name} – take part`;
  replace(main, ...introduction(task), body);
  addEventListener("online", flush);
  // There is a report: `prepare` returns it and perturbs nothing.
  if (id in (await client.ledger())) show(await client.prepare(id, {}), { before: true });
  else ask();
  await flush();
}

const explained = (error) =>
  error.code === "not_sent" ? `This survey cannot be fetched: ${error.message}` : error.message;

// What the noise does to an answer, in numbers. A report that answers the size question claims no key.
function chances({ odds: { held, absent }, keys, keyCount, padding, more, sizeQuestion }) {
  const key = `“${keys[0] ?? "0"}”`,
    have = more === "refuse" ? "choose" : "have",
    aboutPairs = 1 - (sizeQuestion?.share ?? 0);
  const many = padding === 1 ? "one thing applies" : `${count(padding)} things apply`,
    less = more === "sample" && padding < keyCount ? `, or less if more than ${many} to you` : "";
  return `if you do not ${have} ${key}, your report says that you do with probability ${percent(aboutPairs * absent)}; if you ${have} it, with probability ${percent(aboutPairs * held)}${less}.`;
}

const sizes = ({ share, answers, right, wrong }) =>
  make(
    "p",
    { id: "sizes" },
    `Instead of that, your report may say only roughly how many of these things apply to you (${anyOf(answers)}), and not which. This happens with probability ${percent(share)}, and is drawn before your answers are looked at. Noise is added here too: such a report gives the right answer with probability ${percent(right)}, and each other one with probability ${percent(wrong)}.`,
  );

const anyOf = (answers) => `${answers.slice(0, -1).join(", ")} or ${answers.at(-1)}`;

function introduction(task) {
  const factor = Math.exp(Number(task.epsilon));
  const until = task.closes ? ` Reports are taken before ${task.closes} (UTC).` : "";
  const from = task.opens ? ` It opens on ${task.opens} (UTC).` : "";
  return [
    make("h1", {}, task.name),
    make("p", {}, `Asked by whoever runs ${location.host}.${from}${until}`),
    make(
      "section",
      { "aria-label": "Your privacy" },
      make("h2", {}, "Your privacy"),
      make(
        "p",
        {},
        "What you enter stays on this device. Random noise is added to it here, and only the result is sent: one report, which hides your answers even from those who ask. These numbers say how well:",
      ),
      make(
        "p",
        { id: "odds" },
        `With ε = ${task.epsilon}: ${chances(task)} Whatever you answer, the chance of any report changes at most by a factor of ${factor.toPrecision(3)}.${factor > WEAK_RATIO ? " That is weak protection." : ""}`,
      ),
      task.sizeQuestion ? sizes(task.sizeQuestion) : null,
    ),
  ];
}

function ask() {
  const phase = task.phase();
  if (phase === "closed") return replace(body, notice("This survey is over. Nothing was made or sent."));
  if (phase === "waiting") return replace(body, notice(`This survey opens on ${task.opens}. Come back then.`));
  const form = new PairsForm(task),
    said = make("div");
  replace(
    body,
    make(
      "form",
      { class: "card", onsubmit: prepare, oninput: () => replace(said), novalidate: true },
      make("h2", {}, "Your answers"),
      form.element,
      said,
      make(
        "p",
        {},
        make(
          "small",
          {},
          "Next you see what would be sent. The report is made once: it cannot be made again with other answers, since several reports would give away more.",
        ),
      ),
      make("button", { class: "main" }, "Make my report"),
    ),
  );

  async function prepare(event) {
    event.preventDefault();
    const missing = form.missing();
    if (missing) {
      replace(said, alertBox(`Choose a value for “${missing}”, or remove it.`));
      return form.focus(missing);
    }
    typed = form.pairs();
    try {
      show(await client.prepare(id, typed, { invitation }));
    } catch (error) {
      replace(said, alertBox(error.message));
    }
  }
}

const notice = (text) => make("p", { class: "note", role: "status" }, text);

// Shows the state of the report that a receipt describes.
function show(receipt, { before = false, again = false } = {}) {
  const heading = make(
    "h2",
    { tabindex: "-1" },
    { prepared: "Look before you send", waiting: "Stored on this device", sent: "Sent", refused: "Refused" }[
      receipt.status
    ],
  );
  const said = make("div");
  const button = (label, kind, work) => make("button", { type: "button", class: kind, onclick: work }, label);
  const actions = {
    prepared: [button("Send this report", "main", () => send())],
    waiting: [button("Try again now", "main", () => send())],
    sent: [button("Send it again", "", () => send({ again: true }))],
    refused: [button("Try again", "", () => send())],
  }[receipt.status];
  const words = {
    prepared: "Nothing has been sent yet. You may also leave: then nothing will be sent.",
    waiting:
      "The collector cannot be reached now. The same report is sent when you are back online; keep this page open, or come back later.",
    sent: again
      ? "It is the same report, and the collector has it already: it counts once, and no new noise was drawn."
      : "Your report has arrived. Thank you.",
    refused: `The collector refused this report: ${receipt.reason}.`,
  }[receipt.status];
  replace(
    body,
    make(
      "section",
      { "aria-label": "Your report", "data-state": receipt.status },
      heading,
      before ? make("p", {}, "This device has taken part already: there is one report, and no second one is made.") : null,
      make("p", { class: receipt.status === "sent" ? "note done" : "note" }, words),
      whatLeaves(task, receipt, typed),
      said,
      make("div", { class: "buttons" }, ...actions),
    ),
  );
  heading.focus();
  announce(`${heading.textContent}. ${words}`);

  async function send(how) {
    for (const action of actions) action.disabled = true;
    try {
      show(await client.send(id), { before, ...how });
    } catch (error) {
      if (error.code === "refused") return show(await client.prepare(id, {}), { before });
      replace(said, alertBox(error.message));
      for (const action of actions) action.disabled = false;
    }
  }
}

async function flush() {
  const receipt = (await client.flush()).find((sent) => sent.task === id);
  if (receipt && receipt.status !== "waiting") show(receipt);
}

await start();
