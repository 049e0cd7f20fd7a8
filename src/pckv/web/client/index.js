// The client of a collector: perturb once, store the report, send the same bytes until the collector decides.
// Pairs are never stored. The report of a mixed task is sealed, and goes to its mixer, as do all requests about it.
import { fromBase64url, toBase64url } from "./bytes.js";
import { ask, checkedId, checkedUrl, outcomeOf, refuse, requireAnswer } from "./collector.js";
import { unitsToText } from "./epsilon.js";
import { check } from "./errors.js";
import { isName, surveyOf } from "./formats.js";
import { checkCaps, entriesOf, latestDay, readCap, rememberCaps, sumsOf } from "./ledger.js";
import { checkPairs, coinOf, makeReport } from "./report.js";
import { inTransaction } from "./storage.js";
import { Task } from "./task.js";

export { PckvError } from "./errors.js";
export { coinOf } from "./report.js";
export { Task } from "./task.js";

export function perturb(task, pairs, { coin, segment } = {}) {
  checkOpen(task);
  const needed = task.coin === "server" ? task.id : undefined;
  const message = `task ${task.id} needs a coin of its own, or none; nothing was perturbed`;
  check(coin?.task === needed, "bad_parameter", message);
  return makeReport(task, pairs, coin, segment);
}

export async function fetchTask(url, id, retryPolicy) {
  const place = `${checkedUrl(url)}/tasks/${checkedId(id)}`;
  const answer = await ask(place, {}, retryPolicy);
  await requireAnswer(answer, answer.status === 200, place);
  return readTask(answer.text, id);
}

// The id is the hash of the text: a collector cannot change ε.
async function readTask(text, id) {
  const task = await Task.fromJson(text);
  check(task.id === id, "wrong_task", `this is the task ${task.id}, not ${id}`);
  return task;
}

function checkOpen(task, day) {
  const phase = task.phase(day);
  const when = phase === "closed" ? `closed on ${task.closes}` : `opens on ${task.opens}`;
  check(phase === "open", "not_sent", `task ${task.id} ${when}; nothing was perturbed`);
  const isCollectable = task.mixer === null || task.closes !== null;
  check(isCollectable, "not_sent", `task ${task.id} is mixed and never closes; nothing was perturbed`);
}

function checkNoRound(id, series) {
  check(!series, "series", `task ${id} is a round of a series: use SeriesClient; nothing was perturbed`);
}

// It travels in a header where the task is mixed.
function checkInvitation(text) {
  const isSound = text === undefined || (isName(text) && /^[!-~]([ -~]*[!-~])?$/.test(text));
  check(isSound, "bad_parameter", "the invitation is not one");
}

function isCoin(text) {
  return text?.length === 22 && /^[\w-]+[AQgw]$/.test(text);
}

// A report is shown only once it was sent: before that it might still be kept back.
function receiptOf({ task, entry, status, reason, report }) {
  const { series, epsilon } = entry;
  const shown = status === "sent" ? report : undefined;
  return { task, series, status, epsilon, perturbed: false, reason, report: shown };
}

// SeriesClient uses the methods with an underscore.
export class Client {
  #givenCaps = {};
  #tasks = new Map();

  constructor(url, { state = "pckv", cap, capPerPeriod, localCap, retryPolicy, clock = () => new Date() } = {}) {
    if (cap !== undefined) this.#givenCaps.cap = readCap(cap);
    if (localCap !== undefined) this.#givenCaps.localCap = readCap(localCap);
    if (capPerPeriod !== undefined) {
      this.#givenCaps.capPerPeriod = readCap(capPerPeriod?.epsilon, capPerPeriod?.days ?? 0);
    }
    this.url = checkedUrl(url);
    this.state = state;
    this.retryPolicy = retryPolicy;
    this.clock = clock;
  }

  async task(id, text) {
    if (!this.#tasks.has(id)) this.#tasks.set(id, await this.#loadTask(id, text));
    return this.#tasks.get(id);
  }

  async #loadTask(id, givenText) {
    const stored = await this._locked((on) => on("tasks", "get", checkedId(id)));
    if (stored) return readTask(stored, id);
    const task = givenText ? await readTask(givenText, id) : await fetchTask(this.url, id, this.retryPolicy);
    if (givenText || task.mixer?.url !== this.url) await this._checkAccepted(task.mixer, `tasks/${id}`, task.text);
    await this._locked((on) => on("tasks", "put", task.text, id));
    return task;
  }

  async _checkAccepted(mixer, path, text) {
    if (!mixer) return;
    const { checkAccepted } = await import("./mixed.js");
    await checkAccepted(this._ask.bind(this), `${mixer.url}/${path}`, text);
  }

  async ledger() {
    const { inWords } = await import("./words.js");
    return inWords(await this._locked(entriesOf));
  }

  async ledgerSummary() {
    const { summaryOf } = await import("./words.js");
    const [sums, caps] = await this._locked(async (on) => [
      sumsOf(await entriesOf(on)),
      await rememberCaps(on, this.#givenCaps),
    ]);
    return summaryOf(sums, caps);
  }

  async #sums() {
    return sumsOf(await this._locked(entriesOf));
  }

  async spent() {
    return unitsToText((await this.#sums()).recipients);
  }

  async spentDelta() {
    return unitsToText((await this.#sums()).delta);
  }

  async localSpent() {
    return unitsToText((await this.#sums()).local);
  }

  #caps() {
    return this._locked((on) => rememberCaps(on, this.#givenCaps));
  }

  async cap() {
    return (await this.#caps()).cap.epsilon;
  }

  async capPerPeriod() {
    return (await this.#caps()).capPerPeriod;
  }

  async localCap() {
    return (await this.#caps()).localCap.epsilon;
  }

  async receipt(id) {
    const stored = await this._locked((on) => on("reports", "get", checkedId(id)));
    return stored && receiptOf(stored);
  }

  async check(id, { invitation } = {}) {
    checkInvitation(invitation);
    await this.#admission(await this.task(id), invitation, () => {});
  }

  async submit(id, pairs, { invitation, segment } = {}) {
    checkInvitation(invitation);
    // A cap is remembered even where nothing is perturbed.
    await this.cap();
    const made = await this.receipt(id);
    checkNoRound(id, made?.series);
    const perturbed = !made && (await this.#make(await this.task(id), pairs, segment, invitation));
    return { ...(await this.send(id, { invitation })), perturbed };
  }

  async send(id, { invitation } = {}) {
    checkInvitation(invitation);
    const stored = await this._change(checkedId(id), (before) => this._readdressed(before, invitation));
    const { receipt } = await this._deliver(stored);
    const { status, reason } = receipt;
    if (status === "refused") await refuse("refused", `the report of task ${id} was refused`, reason);
    return receipt;
  }

  async flush() {
    const reports = await this._locked((on) => on("reports", "getAll"));
    const receipts = [];
    // Reasons by address: what goes to the same one waits too, for the same reason.
    const unreachable = new Map();
    for (const stored of reports) {
      const isOther = stored.url !== this.url && !stored.report.sealed;
      if (isOther || stored.status !== "waiting") continue;
      if (unreachable.has(stored.url)) {
        receipts.push({ ...receiptOf(stored), reason: unreachable.get(stored.url) });
        continue;
      }
      const { receipt, temporary } = await this._deliver(stored);
      if (temporary) unreachable.set(stored.url, receipt.reason);
      receipts.push(receipt);
    }
    return receipts;
  }

  // What a task's report would spend; undefined if there is one.
  async _allow(on, task) {
    if (await on("reports", "get", task.id)) return undefined;
    const caps = await rememberCaps(on, this.#givenCaps);
    const entries = await entriesOf(on);
    const spending = this._spending(task, entries);
    const day = latestDay(entries, this._today());
    checkCaps(caps, entries, spending, day);
    return { ...spending, day };
  }

  _spending({ id, name, cost, mixer }, entries) {
    const first = entries.find(({ survey }) => surveyOf(survey) === surveyOf(name));
    const answered = `survey ${name} was answered as task ${first?.task}`;
    check(!first, "answered", `${answered}: another run needs another name`);
    const claim = mixer && { claim: { epsilon: mixer.epsilon, delta: mixer.delta } };
    return { task: id, survey: name, epsilon: unitsToText(cost), ...claim };
  }

  // Nothing is spent on a report that would be refused. If no collector answers, only a coin is missed. A mixer must
  // answer: what comes after the closing day is never counted.
  // The coin of the report; undefined if it has none, or was made before.
  async #admission(task, invitation, checkHeld) {
    checkNoRound(task.id, task.series);
    checkOpen(task, this._today());
    const spending = await this._locked((on) => this._allow(on, task));
    if (!spending) return undefined;
    checkHeld();
    await this._checkSealing(task);
    const answer = await this._post(this._origin(task), task.id, "admission", { invitation });
    const { said, kind, temporary } = answer;
    const what = `no report of task ${task.id} can be made`;
    await requireAnswer(answer, !kind || temporary, what);
    if (task.mixer) await requireAnswer(answer, said?.coin === null, what);
    if (task.coin === "device") return undefined;
    await requireAnswer(answer, isCoin(said?.coin), what);
    return coinOf(task, fromBase64url(said.coin));
  }

  async #make(task, pairs, segment, invitation) {
    // Before the transaction, which would end while this waits.
    const coin = await this.#admission(task, invitation, () => checkPairs(task, pairs, segment));
    return this._store(task, pairs, segment, coin, invitation);
  }

  // Where all requests about a task go.
  _origin({ mixer }) {
    return mixer?.url ?? this.url;
  }

  async _checkSealing(task) {
    if (task.mixer) await (await import("./mixed.js")).checkSealing(task);
  }

  async #sealed(task, pairs, segment) {
    const { seal } = await import("./mixed.js");
    // The body stays here, for the participant, who could not open what is sealed. No id goes along.
    const { body } = makeReport(task, pairs, undefined, segment);
    return { body, sealed: await seal(task, body) };
  }

  // Perturb and store; false if there is a report.
  async _store(task, pairs, segment, coin, invitation) {
    // Some browsers ask people; the report does not wait for that.
    navigator.storage.persist().catch(() => {});
    // Before the transaction, which would end meanwhile. If another tab stores one first, this one is dropped unseen.
    const sealed = task.mixer && (await this.#sealed(task, pairs, segment));
    return this._locked(async (on) => {
      const entry = await this._allow(on, task);
      if (!entry) return false;
      const report = sealed ?? makeReport(task, pairs, coin, segment);
      const address = { url: this._origin(task), invitation, coin: task.coin };
      // Both or none, and none if there is one.
      await on("reports", "add", { task: task.id, entry, report, ...address, status: "waiting", reason: "" });
      await on("spent", "add", entry);
      return true;
    });
  }

  _today() {
    return this.clock().toJSON().slice(0, 10);
  }

  // Where a report goes after a mistyped address or invitation.
  _readdressed(stored, given) {
    if (stored.status === "sent") return stored;
    const url = stored.report.sealed ? stored.url : this.url;
    // A coin belongs to its invitation.
    const invitation = stored.coin === "server" ? stored.invitation : (given ?? stored.invitation);
    const isInvitedAnew = invitation !== stored.invitation && stored.reason.startsWith("invitation_");
    const isTriedAgain = stored.status === "refused" && (stored.url !== url || isInvitedAnew);
    const outcome = isTriedAgain ? { status: "waiting", reason: "" } : {};
    return { ...stored, url, invitation, ...outcome };
  }

  async _deliver(stored) {
    if (stored.status !== "waiting") return { receipt: receiptOf(stored), temporary: false };
    const id = stored.report.sealed ? undefined : toBase64url(stored.report.id);
    const answer = await (id ? this.#send(stored, id) : this.#sendSealed(stored));
    const outcome = outcomeOf(answer, id);
    // A refusal never replaces a success, which another tab may have had meanwhile.
    const decided = (before) => (before.status === "sent" ? before : outcome);
    const updated = await this._change(stored.task, decided);
    return { receipt: receiptOf(updated), temporary: answer.temporary };
  }

  #send({ url, task, report, invitation }, id) {
    const reports = [{ id, body: toBase64url(report.body), invitation }];
    return this._post(url, task, "reports", { reports });
  }

  async #sendSealed(stored) {
    const { sendSealed } = await import("./mixed.js");
    return sendSealed(this._ask.bind(this), stored);
  }

  _post(url, id, what, content) {
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify(content);
    return this._ask(`${url}/tasks/${id}/${what}`, { method: "POST", headers, body });
  }

  _ask(place, options) {
    return ask(place, options, this.retryPolicy);
  }

  _change(id, change) {
    return this._locked(async (on) => {
      const stored = await on("reports", "get", id);
      check(stored, "not_sent", `there is no report of ${id}`);
      const updated = { ...stored, ...change(stored) };
      await on("reports", "put", updated);
      return updated;
    });
  }

  _locked(work) {
    return inTransaction(this.state, work);
  }
}
