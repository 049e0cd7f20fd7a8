// Perturb once, store, send the same bytes until the collector decides. Pairs are never stored.
import {
  Task, check, coinOf, fromText, isCount, isDecimal, isId, isName, perturb as perturbNow, readPairs, surveyOf, toText, units, unitsText,
} from "./core.js";

export { PckvError, Task, coinOf } from "./core.js";

const DEFAULT_CAP = "10";

function checkOpen(task, day) {
  const phase = task.phase(day), when = phase === "closed" ? `closed on ${task.closes}` : `opens on ${task.opens}`;
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
  await admit(answer, answer.status === 200, place);
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
    if (!answer.temporary || !--tries || Date.now() + pause >= ends) return { ...answer, ...saidBy(answer) };
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
  if (status === 200) return { said: media === "application/json" ? said : {}, reason: STRANGE };
  if (media !== "application/problem+json" || Array.isArray(said) || !Object.keys(said).length) return { reason: note };
  const kind = codeOf(String(said.type ?? "").split(":").at(-1)) ?? note;
  const detail = String(said.detail ?? "").slice(0, 200).replace(/[\s\p{C}]+/gu, " ").trim();
  return { kind, reason: detail ? `${kind}: ${detail}` : kind };
}

async function refuse(code, what, reason, end = "") {
  const { explain = String } = await import("./words.js").catch(() => ({}));
  check(false, code, `${what}: ${explain(reason)}${end}`);
}

// With the code that the collector gives.
async function admit({ kind, temporary, reason }, holds, what) {
  const code = kind && !temporary ? kind.replaceAll("-", "_") : "not_sent";
  if (!holds) await refuse(code, what, reason, "; nothing was perturbed");
}

// Only a collector's answer decides; until then the report waits.
function outcomeOf({ status, said, kind, reason }, id) {
  const outcome = (status, reason) => ({ status, reason });
  if (said) {
    const refused = Array.isArray(said.refused) ? said.refused : [0, 0], [first] = refused;
    if (!refused.length) return outcome("sent", "");
    return refused.length === 1 && first?.id === id && typeof first.reason === "string"
      ? outcome("refused", codeOf(first.reason) ?? "an unknown reason")
      : outcome("waiting", reason);
  }
  const final = kind && ([400, 404, 410, 413, 415].includes(status) || (status === 403 && kind === "closed"));
  return outcome(final ? "refused" : "waiting", reason);
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
const receiptOf = ({ task, entry: { series, epsilon }, status, reason, report }, more) =>
  ({ task, series, status, epsilon, perturbed: false, reason, report: status === "sent" ? report : undefined, ...more });

// A record outlives its report; a missing one is restored.
async function entriesOf(on) {
  const entries = {};
  for (const record of await on("spent", "getAll")) entries[record.task] = { ...record, status: "removed" };
  for (const { task, entry, status } of await on("reports", "getAll")) {
    const { status: _, ...record } = entries[task] ?? entry;
    check(JSON.stringify(record) === JSON.stringify(entry), "bad_data", `the record of ${task} was edited`);
    await on("spent", "put", entry);
    entries[task] = { ...entry, status };
  }
  return Object.values(entries);
}

function capOf(epsilon, days) {
  const sound = isDecimal(String(epsilon)) && epsilon >= 0, holds = days === undefined || isCount(days);
  check(sound, "bad_parameter", `the cap must be a decimal from 0 on, not ${epsilon}`);
  check(holds, "bad_parameter", `the cap must be for a number of days, not ${days}`);
  return { epsilon: String(epsilon), days };
}

const checkAlone = (id, { series } = {}) =>
  check(!series, "series", `task ${id} is a round of a series: use SeriesClient; nothing was perturbed`);

// SeriesClient uses the methods with an underscore.
export class Client {
  #given = {};
  #tasks = new Map();

  constructor(url, { state = "pckv", cap, capPerPeriod, retryPolicy, clock = () => new Date() } = {}) {
    if (cap !== undefined) this.#given.cap = capOf(cap);
    if (capPerPeriod !== undefined) this.#given.capPerPeriod = capOf(capPerPeriod?.epsilon, capPerPeriod?.days ?? 0);
    Object.assign(this, { url: checkedUrl(url), state, retryPolicy, clock });
  }

  async task(id, text) {
    if (!this.#tasks.has(id)) this.#tasks.set(id, await this.#load(id, text));
    return this.#tasks.get(id);
  }

  async #load(id, given) {
    const text = await this._locked((on) => on("tasks", "get", checkedId(id)));
    if (text) return taskOf(text, id);
    const task = await (given ? taskOf(given, id) : fetchTask(this.url, id, this.retryPolicy));
    await this._locked((on) => on("tasks", "put", task.text, id));
    return task;
  }

  async ledger() {
    const { inWords } = await import("./words.js");
    return inWords(await this._locked(entriesOf));
  }

  async spent() {
    return unitsText(total(await this._locked(entriesOf)));
  }

  async cap() {
    return (await this._locked((on) => this.#caps(on))).cap.epsilon;
  }

  async capPerPeriod() {
    return (await this._locked((on) => this.#caps(on))).capPerPeriod;
  }

  async receipt(id) {
    const stored = await this._locked((on) => on("reports", "get", checkedId(id)));
    return stored && receiptOf(stored);
  }

  async check(id, { invitation } = {}) {
    checkInvitation(invitation);
    await this.#admission(await this.task(id), invitation);
  }

  async submit(id, pairs, { invitation } = {}) {
    checkInvitation(invitation);
    await this.cap();
    const made = await this.receipt(id);
    checkAlone(id, made);
    const perturbed = !made && (await this.#make(await this.task(id), pairs, invitation));
    return { ...(await this.send(id, { invitation })), perturbed };
  }

  async send(id, { invitation } = {}) {
    checkInvitation(invitation);
    const stored = await this._change(checkedId(id), (stored) => this._readdressed(stored, invitation));
    const [receipt] = await this._deliver(stored);
    if (receipt.status === "refused") await refuse("refused", `the report of task ${id} was refused`, receipt.reason);
    return receipt;
  }

  async flush() {
    const receipts = [], all = await this._locked((on) => on("reports", "getAll"));
    let unreachable;
    for (const stored of all) {
      if (stored.url !== this.url || stored.status !== "waiting") continue;
      const [receipt, temporary] = unreachable ? [receiptOf(stored, unreachable)] : await this._deliver(stored);
      if (temporary) unreachable = { reason: receipt.reason };
      receipts.push(receipt);
    }
    return receipts;
  }

  // Those given last.
  async #caps(on) {
    const caps = { cap: { epsilon: DEFAULT_CAP }, ...(await on("settings", "get", "caps")), ...this.#given };
    await on("settings", "put", caps, "caps");
    return caps;
  }

  // What a task's report would spend; undefined if there is one.
  async _allow(on, task) {
    if (await on("reports", "get", task.id)) return;
    const caps = await this.#caps(on), entries = await entriesOf(on), spending = this._spending(task, entries);
    // A clock that is set back frees nothing.
    const day = entries.reduce((latest, { day }) => (day > latest ? day : latest), this._today());
    for (const { epsilon, days } of Object.values(caps)) {
      const old = (entry) => Date.parse(day) - Date.parse(entry.day) >= 864e5 * days;
      const spent = total(entries.filter((entry) => !old(entry))), within = spent + task.cost <= units(epsilon);
      const sum = `ε = ${unitsText(task.cost)} on top of ${unitsText(spent)} is over the cap of ${epsilon}`;
      check(within, "over_budget", `${sum} in ${days ? `${days} days` : "all"}`);
    }
    return { ...spending, day };
  }

  _spending({ id, name, cost }, entries) {
    const first = entries.find(({ survey }) => surveyOf(survey) === surveyOf(name))?.task;
    check(!first, "answered", `survey ${name} was answered as task ${first}: another run needs another name`);
    return { task: id, survey: name, epsilon: unitsText(cost) };
  }

  // Nothing is spent on a report that would be refused. If no collector answers, only a coin is missed.
  async #admission(task, invitation, pairs = {}) {
    checkAlone(task.id, task);
    checkOpen(task, this._today());
    if (!(await this._locked((on) => this._allow(on, task)))) return;
    readPairs(task, pairs);
    const answer = await this._post(this.url, task.id, "admission", { invitation });
    const { said, kind, temporary } = answer, coin = said?.coin, what = `no report of task ${task.id} can be made`;
    await admit(answer, !kind || temporary, what);
    if (task.coin === "device") return;
    await admit(answer, coin?.length === 22 && /^[\w-]+[AQgw]$/.test(coin), what);
    return coinOf(task, fromText(coin));
  }

  async #make(task, pairs, invitation) {
    // Before the transaction, which would end while this waits.
    return this._store(task, pairs, await this.#admission(task, invitation, pairs), invitation);
  }

  // False if there is a report.
  _store(task, pairs, coin, invitation) {
    // Some browsers ask people; nobody waits for that.
    navigator.storage.persist().catch(() => {});
    return this._locked(async (on) => {
      const entry = await this._allow(on, task);
      if (!entry) return false;
      const report = perturbNow(task, pairs, coin), start = { status: "waiting", reason: "" };
      // Both or none, and none if there is one.
      await on("reports", "add", { task: task.id, entry, report, url: this.url, invitation, coin: task.coin, ...start });
      await on("spent", "add", entry);
      return true;
    });
  }

  _today() {
    return this.clock().toJSON().slice(0, 10);
  }

  // After a mistyped address or invitation; a coin belongs to its invitation.
  _readdressed(stored, invitation = stored.invitation) {
    if (stored.status === "sent") return stored;
    if (stored.coin === "server") invitation = stored.invitation;
    const invited = invitation !== stored.invitation && stored.reason.startsWith("invitation_");
    const again = stored.status === "refused" && (stored.url !== this.url || invited);
    return { ...stored, url: this.url, invitation, ...(again && { status: "waiting", reason: "" }) };
  }

  async _deliver(stored) {
    if (stored.status !== "waiting") return [receiptOf(stored)];
    const id = toText(stored.report.id), report = { id, body: toText(stored.report.body), invitation: stored.invitation };
    const answer = await this._post(stored.url, stored.task, "reports", { reports: [report] });
    // A refusal never replaces a success.
    const updated = await this._change(stored.task, ({ status }) => status !== "sent" && outcomeOf(answer, id));
    return [receiptOf(updated), answer.temporary];
  }

  _post(url, id, what, content) {
    const body = JSON.stringify(content), headers = { "Content-Type": "application/json" };
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

  // One transaction among all tabs, on the disk when it ends.
  async _locked(work) {
    const opening = indexedDB.open(this.state, 1);
    opening.onupgradeneeded = () => {
      for (const store of ["tasks", "settings", "series"]) opening.result.createObjectStore(store);
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
