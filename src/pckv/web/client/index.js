// Perturb once, store, send the same bytes until the collector decides. Pairs are never stored.
import { Task, check, isDecimal, isName, perturb, toText, units, unitsText } from "./core.js";

export { PckvError, Task, perturb } from "./core.js";

export async function fetchTask(url, id, retryPolicy) {
  const place = `${checkedUrl(url)}/tasks/${checkedId(id)}`, { status, text, note } = await ask(place, {}, retryPolicy);
  check(status === 200, "not_sent", `${place}: ${note}; nothing was perturbed`);
  return taskOf(text, id);
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

// Only a collector's answer decides; until then the report waits.
function outcomeOf({ status, media, text, note }, id) {
  const outcome = (status, reason) => ({ status, reason });
  const code = (text) => /^[a-z][a-z_-]{0,39}$/.exec(text)?.[0];
  let said = {};
  try {
    said = Object(JSON.parse(text));
  } catch {}
  if (status === 200) {
    const refused = media === "application/json" && Array.isArray(said.refused) ? said.refused : [0, 0], [first] = refused;
    if (!refused.length) return outcome("sent", "");
    return refused.length === 1 && first?.id === id && typeof first.reason === "string"
      ? outcome("refused", code(first.reason) ?? "an unknown reason")
      : outcome("waiting", "an answer that is not a collector's");
  }
  const problem = media === "application/problem+json" && !Array.isArray(said) && Object.keys(said).length;
  if (!problem) return outcome("waiting", note);
  const kind = code(String(said.type ?? "").split(":").at(-1)) ?? note;
  const detail = String(said.detail ?? "").slice(0, 200).replace(/[\s\p{C}]+/gu, " ").trim();
  const final = [400, 404, 410, 413, 415].includes(status) || (status === 403 && kind === "closed");
  return outcome(final ? "refused" : "waiting", detail ? `${kind}: ${detail}` : kind);
}

function checkedId(id) {
  check(/^[\w-]{42}[AEIMQUYcgkosw048]$/.test(id), "wrong_task", `${id} is not a task's id`);
  return id;
}

function checkedUrl(url) {
  const sound = /^https?:\/\/[\w.:[\]-]+(\/[^?#\s]*)?$/.test(url) && URL.canParse(url);
  check(sound, "bad_parameter", `${url} is not a collector's address, like https://example.org`);
  return url.replace(/\/+$/, "");
}

const settled = (what, good, bad) =>
  new Promise((resolve, reject) => {
    what[good] = () => resolve(what.result);
    what[bad] = () => reject(what.error);
  });

const asked = (request) => settled(request, "onsuccess", "onerror");

const total = (reports) => reports.reduce((sum, { epsilon }) => sum + units(epsilon), 0n);

const receiptOf = ({ task, status, epsilon, reason, report }, more) =>
  ({ task, status, epsilon, perturbed: false, reason, report, ...more });

export class Client {
  constructor(url, { state = "pckv", cap, retryPolicy } = {}) {
    const sound = cap === undefined || (isDecimal(String(cap)) && cap >= 0);
    check(sound, "bad_parameter", `the cap must be a decimal from 0 on, not ${cap}`);
    Object.assign(this, { url: checkedUrl(url), state, cap, retryPolicy });
  }

  async task(id) {
    const text = await this.#locked("tasks", (tasks) => tasks("get", checkedId(id)));
    if (text) return taskOf(text, id);
    const task = await fetchTask(this.url, id, this.retryPolicy);
    await this.#locked("tasks", (tasks) => tasks("put", task.text, id));
    return task;
  }

  async ledger() {
    return Object.fromEntries((await this.#all()).map(({ task, epsilon }) => [task, epsilon]));
  }

  async spent() {
    return unitsText(total(await this.#all()));
  }

  prepare(id, pairs, options) {
    return this.#keep(id, pairs, "prepared", options);
  }

  async submit(id, pairs, options) {
    const { perturbed } = await this.#keep(id, pairs, "waiting", options);
    return { ...(await this.send(id)), perturbed };
  }

  async send(id) {
    const stored = await this.#change(checkedId(id), ({ status }) => status === "prepared" && { status: "waiting" });
    const [receipt] = await this.#deliver(stored);
    check(receipt.status !== "refused", "refused", `the collector refuses the report of ${id}: ${receipt.reason}`);
    return receipt;
  }

  async flush() {
    const receipts = [];
    let unreachable;
    for (const stored of await this.#all()) {
      if (stored.url !== this.url || stored.status !== "waiting") continue;
      const [receipt, temporary] = unreachable ? [receiptOf(stored, unreachable)] : await this.#deliver(stored);
      if (temporary) unreachable = { reason: receipt.reason };
      receipts.push(receipt);
    }
    return receipts;
  }

  async #keep(id, pairs, status, { invitation } = {}) {
    check(invitation === undefined || isName(invitation), "bad_parameter", "the invitation is not a name");
    const task = checkedId(id) in (await this.ledger()) ? null : await this.task(id);
    return this.#locked("reports", async (reports) => {
      const all = await reports("getAll"), stored = all.find((each) => each.task === id);
      if (stored) {
        const updated = this.#readdressed(stored, invitation);
        await reports("put", updated);
        return receiptOf(updated);
      }
      check(task.phase() !== "closed", "not_sent", `task ${id} closed on ${task.closes}; nothing was perturbed`);
      const { cost } = task, spent = total(all), epsilon = unitsText(cost);
      const within = this.cap === undefined || spent + cost <= units(String(this.cap));
      check(within, "over_budget", `ε = ${epsilon} on top of ${unitsText(spent)} is over the cap of ${this.cap} in all`);
      const entry = { task: id, report: perturb(task, pairs), epsilon, url: this.url, invitation, status, reason: "" };
      // Fails if there is one.
      await reports("add", entry);
      return receiptOf(entry, { perturbed: true });
    });
  }

  // After a mistyped address or invitation.
  #readdressed(stored, invitation = stored.invitation) {
    if (stored.status === "sent") return stored;
    const invited = invitation !== stored.invitation && stored.reason.startsWith("invitation_");
    const again = stored.status === "refused" && (stored.url !== this.url || invited);
    return { ...stored, url: this.url, invitation, ...(again && { status: "waiting", reason: "" }) };
  }

  async #deliver(stored) {
    if (stored.status !== "waiting") return [receiptOf(stored)];
    const id = toText(stored.report.id), report = { id, body: toText(stored.report.body), invitation: stored.invitation };
    const body = JSON.stringify({ reports: [report] }), headers = { "Content-Type": "application/json" };
    const answer = await ask(`${stored.url}/tasks/${stored.task}/reports`, { method: "POST", headers, body }, this.retryPolicy);
    // A refusal never replaces a success.
    const updated = await this.#change(stored.task, ({ status }) => status !== "sent" && outcomeOf(answer, id));
    return [receiptOf(updated), answer.temporary];
  }

  #change(id, change) {
    return this.#locked("reports", async (reports) => {
      const stored = await reports("get", id);
      check(stored, "not_sent", `there is no report of ${id}`);
      const updated = { ...stored, ...change(stored) };
      await reports("put", updated);
      return updated;
    });
  }

  #all() {
    return this.#locked("reports", (reports) => reports("getAll"));
  }

  // One transaction among all tabs, on the disk when it ends.
  async #locked(store, work) {
    const opening = indexedDB.open(this.state, 1);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore("tasks");
      opening.result.createObjectStore("reports", { keyPath: "task" });
    };
    const database = await asked(opening);
    try {
      const transaction = database.transaction(store, "readwrite", { durability: "strict" });
      const working = work((verb, ...given) => asked(transaction.objectStore(store)[verb](...given)));
      return (await Promise.all([working, settled(transaction, "oncomplete", "onabort")]))[0];
    } finally {
      database.close();
    }
  }
}
