// Perturb once, store, send the same bytes until the collector decides. Pairs are never stored.
import {
  Task, check, coinOf, fromText, isDecimal, isId, isName, perturb as perturbNow, readPairs, surveyOf, toText, units, unitsText,
} from "./core.js";

export { PckvError, Task, coinOf } from "./core.js";

const DEFAULT_CAP = "10";

function checkOpen(task) {
  const phase = task.phase(), when = phase === "closed" ? `closed on ${task.closes}` : `opens on ${task.opens}`;
  check(phase === "open", "not_sent", `task ${task.id} ${when}; nothing was perturbed`);
}

export function perturb(task, pairs, coin) {
  checkOpen(task);
  const fits = coin?.task === (task.coin === "server" ? task.id : undefined);
  check(fits, "bad_parameter", `task ${task.id} needs a coin of its own, or none; nothing was perturbed`);
  return perturbNow(task, pairs, coin);
}

export async function fetchTask(url, id, retryPolicy) {
  const place = `${checkedUrl(url)}/tasks/${checkedId(id)}`, answer = await ask(place, {}, retryPolicy);
  admit(answer, answer.status === 200, place);
  return taskOf(answer.text, id);
}

// The id is a hash: nobody can change ε.
async function taskOf(text, id) {
  const task = await Task.fromJson(text);
  check(task.id === id, "wrong_task", `this is the task ${task.id}, not ${id}`);
  return task;
}

async function ask(url, options, { tries = 4, seconds = 20, firstPause = 0.5, timeout = 10 } = {}) {
  const ends = Date.now() + 1000 * seconds;
  for (let bound = 1000 * firstPause; ; bound *= 2) {
    const answer = await once(url, options, Math.min(1000 * timeout, ends - Date.now()));
    answer.temporary = [0, 408, 425, 429].includes(answer.status) || answer.status >= 500;
    const [drawn] = crypto.getRandomValues(new Uint32Array(1));
    const pause = Math.max((bound * drawn) / 2 ** 32, 1000 * answer.after || 0);
    if (!answer.temporary || !--tries || Date.now() + pause >= ends) return answer;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

async function once(url, options, milliseconds) {
  try {
    const response = await fetch(url, {
      ...options,
      cache: "no-store",
      credentials: "omit",
      redirect: "manual",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(Math.max(1, milliseconds)),
    });
    const status = response.type === "opaqueredirect" ? 300 : response.status;
    const [media] = (response.headers.get("Content-Type") ?? "").toLowerCase().split(/ *;/);
    const after = response.headers.get("Retry-After");
    return { status, media, after, text: await response.text(), note: `HTTP ${status}` };
  } catch (error) {
    return { status: 0, note: `no answer (${error.message})` };
  }
}

const STRANGE = "an answer that is not a collector's";

const codeOf = (text) => /^[a-z][a-z_-]{0,39}$/.exec(text)?.[0];

// What a collector says, or its problem; whoever else answers says nothing.
function saidBy({ status, media, text, note }) {
  let said = {};
  try {
    said = Object(JSON.parse(text));
  } catch {}
  if (status === 200) return { said: media === "application/json" ? said : {} };
  if (media !== "application/problem+json" || Array.isArray(said) || !Object.keys(said).length) return {};
  const kind = codeOf(String(said.type ?? "").split(":").at(-1)) ?? note;
  const detail = String(said.detail ?? "").slice(0, 200).replace(/[\s\p{C}]+/gu, " ").trim();
  return { kind, problem: detail ? `${kind}: ${detail}` : kind };
}

// What the codes of a collector mean.
const MEANINGS = {
  closed: "the task takes no more reports",
  not_open: "the task does not take reports yet",
  unknown: "there is no such task",
  deleted: "the task was deleted",
  invitation_unknown: "the invitation is missing or unknown",
  invitation_spent: "the invitation was used before",
  conflict: "there is another report with the same id",
};

// A reason in words: its meaning, then what the collector adds to it.
function explain(reason) {
  const [first, detail] = reason.split(/: (.*)/s), code = codeOf(first)?.replaceAll("-", "_");
  return code ? (MEANINGS[code] ?? code.replaceAll("_", " ")) + (detail ? ` (${detail})` : "") : reason;
}

// Refuses what no report can be made after, with the code that the collector gives.
function admit(answer, holds, what) {
  const { kind, problem } = saidBy(answer), decided = problem && !answer.temporary;
  const code = decided ? kind.replaceAll("-", "_") : "not_sent";
  const reason = problem ?? (answer.status === 200 ? STRANGE : answer.note);
  check(holds, code, `${what}: ${explain(reason)}; nothing was perturbed`);
}

// Only a collector's answer decides; until then the report waits.
function outcomeOf(answer, id) {
  const outcome = (status, reason) => ({ status, reason });
  const { status, note } = answer, { said, kind, problem } = saidBy(answer);
  if (said) {
    const refused = Array.isArray(said.refused) ? said.refused : [0, 0], [first] = refused;
    if (!refused.length) return outcome("sent", "");
    return refused.length === 1 && first?.id === id && typeof first.reason === "string"
      ? outcome("refused", codeOf(first.reason) ?? "an unknown reason")
      : outcome("waiting", STRANGE);
  }
  const final = problem && ([400, 404, 410, 413, 415].includes(status) || (status === 403 && kind === "closed"));
  return outcome(final ? "refused" : "waiting", problem ?? note);
}

function checkedId(id) {
  check(isId(id), "wrong_task", `${id} is not a task's id`);
  return id;
}

function checkedUrl(url) {
  const sound = /^https?:\/\/[\w.:[\]-]+(\/[^?#\s]*)?$/.test(url) && URL.canParse(url);
  check(sound, "bad_parameter", `${url} is not a collector's address, like https://example.org`);
  return url.replace(/\/+$/, "");
}

const checkInvitation = (text) =>
  check(text === undefined || isName(text), "bad_parameter", "the invitation is not a name");

const settled = (what, good, bad) =>
  new Promise((resolve, reject) => {
    what[good] = () => resolve(what.result);
    what[bad] = () => reject(what.error);
  });

const asked = (request) => settled(request, "onsuccess", "onerror");

const total = (entries) => entries.reduce((sum, { epsilon }) => sum + units(epsilon), 0n);

// Nobody sees a report that might still be kept back.
const receiptOf = ({ task, status, epsilon, reason, report }, more) =>
  ({ task, status, epsilon, perturbed: false, reason, report: status === "sent" ? report : undefined, ...more });

// A record outlives its report; a missing one is restored.
async function entriesOf(on) {
  const entries = {};
  for (const record of await on("spent", "getAll")) entries[record.task] = { ...record, status: "removed" };
  for (const { task, survey, epsilon, status } of await on("reports", "getAll")) {
    const entry = (entries[task] ??= { task, survey, epsilon });
    check(entry.survey === survey && entry.epsilon === epsilon, "bad_data", `the record of ${task} was edited`);
    await on("spent", "put", { task, survey, epsilon });
    entry.status = status;
  }
  return Object.values(entries);
}

export class Client {
  #cap;
  #tasks = new Map();

  constructor(url, { state = "pckv", cap, retryPolicy } = {}) {
    const sound = cap === undefined || (isDecimal(String(cap)) && cap >= 0);
    check(sound, "bad_parameter", `the cap must be a decimal from 0 on, not ${cap}`);
    this.#cap = cap;
    Object.assign(this, { url: checkedUrl(url), state, retryPolicy });
  }

  async task(id, text) {
    if (!this.#tasks.has(id)) this.#tasks.set(id, await this.#load(id, text));
    return this.#tasks.get(id);
  }

  async #load(id, given) {
    const text = await this.#locked((on) => on("tasks", "get", checkedId(id)));
    if (text) return taskOf(text, id);
    const task = await (given ? taskOf(given, id) : fetchTask(this.url, id, this.retryPolicy));
    await this.#locked((on) => on("tasks", "put", task.text, id));
    return task;
  }

  ledger() {
    return this.#locked(entriesOf);
  }

  async spent() {
    return unitsText(total(await this.ledger()));
  }

  cap() {
    return this.#locked((on) => this.#remembered(on));
  }

  async receipt(id) {
    const stored = await this.#locked((on) => on("reports", "get", checkedId(id)));
    return stored && receiptOf(stored);
  }

  async check(id, { invitation } = {}) {
    checkInvitation(invitation);
    await this.#admission(await this.task(id), invitation);
  }

  async submit(id, pairs, { invitation } = {}) {
    checkInvitation(invitation);
    await this.cap();
    const perturbed = !(await this.receipt(id)) && (await this.#make(await this.task(id), pairs, invitation));
    return { ...(await this.send(id, { invitation })), perturbed };
  }

  async send(id, { invitation } = {}) {
    checkInvitation(invitation);
    const stored = await this.#change(checkedId(id), (stored) => this.#readdressed(stored, invitation));
    const [receipt] = await this.#deliver(stored);
    check(receipt.status !== "refused", "refused", `the report of task ${id} was refused: ${explain(receipt.reason)}`);
    return receipt;
  }

  async flush() {
    const receipts = [], all = await this.#locked((on) => on("reports", "getAll"));
    let unreachable;
    for (const stored of all) {
      if (stored.url !== this.url || stored.status !== "waiting") continue;
      const [receipt, temporary] = unreachable ? [receiptOf(stored, unreachable)] : await this.#deliver(stored);
      if (temporary) unreachable = { reason: receipt.reason };
      receipts.push(receipt);
    }
    return receipts;
  }

  async #remembered(on) {
    if (this.#cap !== undefined) await on("settings", "put", String(this.#cap), "cap");
    return (await on("settings", "get", "cap")) ?? DEFAULT_CAP;
  }

  // False if there is a report.
  async #allow(on, { id, name, cost }) {
    if (await on("reports", "get", id)) return false;
    const cap = await this.#remembered(on), entries = await entriesOf(on), spent = total(entries);
    const first = entries.find(({ survey }) => surveyOf(survey) === surveyOf(name))?.task;
    check(!first, "answered", `survey ${name} was answered as task ${first}: another run needs another name`);
    const within = spent + cost <= units(cap);
    check(within, "over_budget", `ε = ${unitsText(cost)} on top of ${unitsText(spent)} is over the cap of ${cap} in all`);
    return true;
  }

  // Nothing is spent on a report that would be refused. If no collector answers, only a coin is missed.
  async #admission(task, invitation, pairs = {}) {
    checkOpen(task);
    if (!(await this.#locked((on) => this.#allow(on, task)))) return;
    readPairs(task, pairs);
    const answer = await this.#post(this.url, task.id, "admission", { invitation });
    const { said, problem } = saidBy(answer), coin = said?.coin, what = `no report of task ${task.id} can be made`;
    admit(answer, !problem || answer.temporary, what);
    if (task.coin === "device") return;
    admit(answer, coin?.length === 22 && /^[\w-]+[AQgw]$/.test(coin), what);
    return coinOf(task, fromText(coin));
  }

  async #make(task, pairs, invitation) {
    // Before the transaction, which would end while this waits.
    const coin = await this.#admission(task, invitation, pairs);
    // Some browsers ask people; nobody waits for that.
    navigator.storage.persist().catch(() => {});
    return this.#locked(async (on) => {
      if (!(await this.#allow(on, task))) return false;
      const entry = { task: task.id, survey: task.name, epsilon: unitsText(task.cost) };
      const report = perturb(task, pairs, coin);
      // Both or none, and none if there is one.
      const waiting = { report, url: this.url, invitation, coin: task.coin, status: "waiting", reason: "" };
      await on("reports", "add", { ...entry, ...waiting });
      await on("spent", "add", entry);
      return true;
    });
  }

  // After a mistyped address or invitation; a coin belongs to its invitation.
  #readdressed(stored, invitation = stored.invitation) {
    if (stored.status === "sent") return stored;
    if (stored.coin === "server") invitation = stored.invitation;
    const invited = invitation !== stored.invitation && stored.reason.startsWith("invitation_");
    const again = stored.status === "refused" && (stored.url !== this.url || invited);
    return { ...stored, url: this.url, invitation, ...(again && { status: "waiting", reason: "" }) };
  }

  async #deliver(stored) {
    if (stored.status !== "waiting") return [receiptOf(stored)];
    const id = toText(stored.report.id), report = { id, body: toText(stored.report.body), invitation: stored.invitation };
    const answer = await this.#post(stored.url, stored.task, "reports", { reports: [report] });
    // A refusal never replaces a success.
    const updated = await this.#change(stored.task, ({ status }) => status !== "sent" && outcomeOf(answer, id));
    return [receiptOf(updated), answer.temporary];
  }

  #post(url, id, what, content) {
    const body = JSON.stringify(content), headers = { "Content-Type": "application/json" };
    return ask(`${url}/tasks/${id}/${what}`, { method: "POST", headers, body }, this.retryPolicy);
  }

  #change(id, change) {
    return this.#locked(async (on) => {
      const stored = await on("reports", "get", id);
      check(stored, "not_sent", `there is no report of ${id}`);
      const updated = { ...stored, ...change(stored) };
      await on("reports", "put", updated);
      return updated;
    });
  }

  // One transaction among all tabs, on the disk when it ends.
  async #locked(work) {
    const opening = indexedDB.open(this.state, 1);
    opening.onupgradeneeded = () => {
      for (const store of ["tasks", "settings"]) opening.result.createObjectStore(store);
      for (const store of ["reports", "spent"]) opening.result.createObjectStore(store, { keyPath: "task" });
    };
    const database = await asked(opening);
    try {
      const transaction = database.transaction(database.objectStoreNames, "readwrite", { durability: "strict" });
      const working = work((store, verb, ...given) => asked(transaction.objectStore(store)[verb](...given)));
      return (await Promise.all([working, settled(transaction, "oncomplete", "onabort")]))[0];
    } finally {
      database.close();
    }
  }
}
