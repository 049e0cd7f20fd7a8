// The participant's page: what is asked, an example of a report, the form, and what became of the report. The report
// itself is shown only after it was sent: whether somebody sends it must not depend on it, since no ε covers that.
import { Client, coinOf, perturb } from "/client/index.js";
import { alertBox, announce, count, make, percent, replace } from "./page.js";
import { PairsForm } from "./pairs-form.js";
import { exampleOf, whatLeft } from "./report-view.js";

const RETRY_POLICY = { tries: 2, seconds: 15, firstPause: 0.3, timeout: 8 };
// Beyond this ratio of chances the protection is called weak.
const WEAK_RATIO = 50;
const main = document.getElementById("main"),
  id = location.pathname.split("/").at(-1);
const invitation = new URLSearchParams(location.hash.slice(1)).get("invitation") ?? undefined;
const client =
  id === "preview"
    ? new (await import("./preview.js")).PreviewClient()
    : new Client(location.origin, { retryPolicy: RETRY_POLICY });
// Why nobody can take part stands above everything else.
const refusal = make("div"),
  body = make("div"),
  budget = make("div", { id: "budget" });
let task, typed;

async function start() {
  try {
    task = await client.task(id);
    document.title = `${task.name} – take part`;
    replace(main, ...introduction(task), body);
    await showBudget();
    const receipt = await client.receipt(id);
    if (receipt) show(receipt, { before: true });
    else await ask();
  } catch (error) {
    const problem = task ? explained(error) : `This survey cannot be fetched: ${error.message}`;
    return replace(main, make("h1", {}, task?.name ?? "Take part"), alertBox(problem));
  }
  addEventListener("online", flush);
  await flush();
}

async function showBudget() {
  const spent = await client.spent(),
    cap = await client.cap();
  const forgetful = spent !== "0" && !(await navigator.storage.persisted());
  replace(
    budget,
    make(
      "p",
      {},
      `All surveys of ${location.host} together may spend at most ε = ${cap} on this device; ε = ${spent} is spent so far. Each survey is answered once.`,
    ),
    forgetful
      ? make(
          "p",
          { class: "note", id: "forgetful" },
          `This browser may forget what was spent: it has not promised to keep what pages store. Do not clear the data of ${location.host}, and do not answer this survey again should you be asked to.`,
        )
      : null,
    make(
      "details",
      {},
      make("summary", {}, "Where this is remembered"),
      make(
        "p",
        {},
        `In this browser, for ${location.host} alone. The same survey at another address, in another browser or in a private window starts anew from 0 and does not know that you answered: every report made there gives away as much about you again.`,
      ),
    ),
  );
}

// Why no report is made, in plain words; what the collector said is last.
const explained = ({ code, message }) =>
  ({
    answered: "This device has answered this survey before. A second answer would give away more about you, so none is made.",
    over_budget: `Nothing is sent, to protect you: ${message}.`,
    ...REFUSALS,
  })[code] ?? message;

// What the collector says before a report is made; none of it changes by trying again.
const REFUSALS = {
  closed: "This survey takes no more answers. Nothing was made or sent.",
  not_open: "This survey does not take answers yet. Nothing was made or sent.",
  deleted: "This survey was deleted. Nothing was made or sent.",
  invitation_spent: "This invitation was used before, and each is good for one report. Nothing was made or sent.",
  invitation_unknown: invitation
    ? "This invitation is not known here: use the whole link that you were given. Nothing was made or sent."
    : "This survey takes answers by invitation only: use the whole link that you were given. Nothing was made or sent.",
};

// What the noise does to an answer, in numbers. A report that answers the size question claims no key.
function chances({ odds: { held, absent }, keys, keyCount, padding, more, sizeQuestion }) {
  const key = `“${keys[0] ?? "0"}”`,
    have = more === "refuse" ? "choose" : "have",
    aboutPairs = 1 - (sizeQuestion?.share ?? 0);
  const many = padding === 1 ? "one thing applies" : `${count(padding)} things apply`,
    less = more === "sample" && padding < keyCount ? `, or less if more than ${many} to you` : "";
  return `if you do not ${have} ${key}, your report says that you do with probability ${percent(aboutPairs * absent)}; if you ${have} it, with probability ${percent(aboutPairs * held)}${less}.`;
}

const sizes = ({ coin, sizeQuestion: { share, answers, right, wrong } }) =>
  make(
    "p",
    { id: "sizes" },
    `Instead of that, your report may say only roughly how many of these things apply to you (${anyOf(answers)}), and not which. This happens with probability ${percent(share)}, and is drawn ${coin === "server" ? "by the collector, which does not know your answers" : "before your answers are looked at"}. Noise is added here too: such a report gives the right answer with probability ${percent(right)}, and each other one with probability ${percent(wrong)}.`,
  );

// What an invitation and a coin mean for whoever answers.
const invited = ({ coin }) =>
  make(
    "p",
    { id: "invited" },
    `You answer by invitation: whoever gave it to you might find out which report is yours. The noise hides your answers from them as well.${coin === "server" ? " A number that the collector drew for your invitation decides a part of your report that has nothing to do with your answers; so nobody can choose that part to distort the result." : ""}`,
  );

const anyOf = (answers) => `${answers.slice(0, -1).join(", ")} or ${answers.at(-1)}`;

function introduction(task) {
  const factor = Math.exp(Number(task.epsilon));
  const until = task.closes ? ` Reports are taken before ${task.closes} (UTC).` : "";
  const from = task.opens ? ` It opens on ${task.opens} (UTC).` : "";
  return [
    make("h1", {}, task.name),
    refusal,
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
      task.sizeQuestion ? sizes(task) : null,
      invitation ? invited(task) : null,
      budget,
    ),
  ];
}

async function ask() {
  const phase = task.phase();
  if (phase === "closed") return replace(refusal, notice("This survey is over. Nothing was made or sent."));
  if (phase === "waiting") return replace(refusal, notice(`This survey opens on ${task.opens}. Come back then.`));
  try {
    await client.check(id, { invitation });
  } catch (error) {
    return replace(refusal, alertBox(explained(error)));
  }
  const form = new PairsForm(task),
    said = make("div"),
    button = make("button", { type: "button", class: "main", onclick: submit }, "Send my report");
  // A report cannot be taken back: only the button sends it, and not Enter in a field.
  replace(
    body,
    exampleOf(task, example),
    make(
      "form",
      { class: "card", onsubmit: (event) => event.preventDefault(), oninput: () => replace(said), novalidate: true },
      make("h2", {}, "Your answers"),
      form.element,
      said,
      make(
        "p",
        {},
        make(
          "small",
          {},
          "One report is made from your answers and sent at once; you see it afterwards. If people could look at their report first, and some then kept it back, who stays away would tell something that no noise hides. It cannot be made again with other answers, since several reports would give away more.",
        ),
      ),
      button,
    ),
  );

  async function submit() {
    const missing = form.missing();
    if (missing) {
      replace(said, alertBox(`Choose a value for “${missing}”, or remove it.`));
      return form.focus(missing);
    }
    typed = form.pairs();
    button.disabled = true;
    try {
      show(await client.submit(id, typed, { invitation }));
    } catch (error) {
      if (error.code === "refused") return show(await client.receipt(id));
      replace(said, alertBox(explained(error)));
      button.disabled = error.code in REFUSALS;
    }
  }
}

// A report of other pairs, by a coin of its own where the collector draws one.
async function example(pairs) {
  const number = crypto.getRandomValues(new Uint8Array(16));
  return perturb(task, pairs, task.coin === "server" ? await coinOf(task, number) : undefined);
}

const notice = (text) => make("p", { class: "note", role: "status" }, text);

const AGAIN =
  "Nothing is perturbed again: sending it again sends the same bytes, spends nothing more, and counts once.";

// Shows the state of the report that a receipt describes.
function show(receipt, { before = false, again = false } = {}) {
  const heading = make(
    "h2",
    { tabindex: "-1" },
    { waiting: "Stored on this device", sent: "Sent", refused: "Refused" }[receipt.status],
  );
  const said = make("div");
  const button = (label, kind, work) => make("button", { type: "button", class: kind, onclick: work }, label);
  const actions = {
    waiting: [button("Try again now", "main", () => send())],
    sent: [button("Send the same report again", "", () => send({ again: true }))],
    refused: [button("Try again", "", () => send())],
  }[receipt.status];
  const words = {
    waiting:
      "The collector cannot be reached now. The report is made, and the same one is sent when you are back online; keep this page open, or come back later. You see it here once it has arrived.",
    sent: again
      ? "Nothing was perturbed again: it is the same report, the collector has it already, and it counts once."
      : "Your report has arrived. Thank you.",
    refused: `The collector refused this report: ${receipt.reason}. What it spent stays spent, and no other one is made.`,
  }[receipt.status];
  replace(
    body,
    make(
      "section",
      { "aria-label": "Your report", "data-state": receipt.status },
      heading,
      before ? make("p", {}, "This device has taken part already: there is one report, and no second one is made.") : null,
      make("p", { class: receipt.status === "sent" ? "note done" : "note" }, words),
      receipt.report ? whatLeft(task, receipt.report, typed) : null,
      said,
      receipt.status === "sent" && !again ? make("p", {}, make("small", {}, AGAIN)) : null,
      make("div", { class: "buttons" }, ...actions),
    ),
  );
  heading.focus();
  announce(`${heading.textContent}. ${words}`);
  showBudget();

  async function send(how) {
    for (const action of actions) action.disabled = true;
    try {
      show(await client.send(id, { invitation }), { before, ...how });
    } catch (error) {
      if (error.code === "refused") return show(await client.receipt(id), { before });
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
