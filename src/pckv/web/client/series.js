// A task repeated in rounds. A device draws one of the panels once, and reports in the rounds of its panel alone: any
// rounds in a row, as many as there are panels, hold at most one report of a device, whatever its clock shows.
import { PckvError, Tape, Task, check, encoder, isCount, isDay, isId, isName, readPairs, toText } from "./core.js";
import { Client } from "./index.js";

export { PckvError } from "./core.js";

const DAY = 86_400_000;
const LAST_DAY = Date.parse("9999-12-31");
const MOST = { panels: 1000, period: 3660, rounds: 1_000_000 };

const must = (holds, what) => check(holds, "bad_series", `not a series: ${what}`);

const dayOf = (time) => new Date(time).toJSON().slice(0, 10);

// The contract of every round: a task without days of its own.
async function templateOf(members) {
  let task;
  try {
    task = await Task.fromJson(JSON.stringify(members ?? null));
  } catch (error) {
    must(!(error instanceof PckvError) || error.code === "no_crypto", error.message);
    throw error;
  }
  must(!task.opens && !task.closes && !task.series, "its task has days, or is a round itself");
  must(task.coin === "device", "the coins of its task are the server's, and nobody invites to every round");
  must(isName(`${task.name}, round ${MOST.rounds}`), "the names of its rounds are too long");
  return task;
}

export class Series {
  #template;

  static async fromJson(text) {
    let members;
    try {
      members = Object(JSON.parse(text));
    } catch (error) {
      must(false, error.message);
    }
    const { first, panels, period, rounds, version } = members;
    const canonical = JSON.stringify({ first, panels, period, rounds, task: members.task, version });
    must(canonical === text, "it is not in canonical form, with all of its members and no others");
    must(version === 1, "version");
    must(first !== null && isDay(first), "first");
    for (const name of Object.keys(MOST)) {
      const endless = name === "rounds" && rounds === null;
      must(endless || (isCount(members[name]) && members[name] <= MOST[name]), name);
    }
    must(rounds === null || panels <= rounds, "there are more panels than rounds: devices would never report");
    const task = await templateOf(members.task), series = new Series();
    const id = toText(new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text))));
    series.#template = members.task;
    Object.assign(series, { id, text, name: task.name, task, first, panels, period, rounds });
    must(series.#has(rounds ?? 1), "it ends after the year 9999");
    return series;
  }

  // When a round has ended, which is when the next one begins.
  #end(number) {
    return Date.parse(this.first) + DAY * this.period * number;
  }

  #has(number) {
    return isCount(number) && number <= (this.rounds ?? MOST.rounds) && this.#end(number) <= LAST_DAY;
  }

  #checkRound(number) {
    check(this.#has(number), "bad_parameter", `series ${this.id} has no round ${number}`);
  }

  opens(number) {
    this.#checkRound(number);
    return dayOf(this.#end(number - 1));
  }

  closes(number) {
    this.#checkRound(number);
    return dayOf(this.#end(number));
  }

  // Undefined before the first round and after the last.
  roundOn(day) {
    const number = Math.floor((Date.parse(day) - Date.parse(this.first)) / (DAY * this.period)) + 1;
    return this.#has(number) ? number : undefined;
  }

  // The first round of a panel after another round; undefined if there is none.
  nextRound(panel, after) {
    const { panels } = this, steps = (panel - after - 1) % panels, number = after + 1 + ((steps + panels) % panels);
    return this.#has(number) ? number : undefined;
  }

  taskOf(number) {
    const { id, name, panels } = this, opens = this.opens(number), closes = this.closes(number);
    const round = { name: `${name}, round ${number}`, opens, closes, series: { id, panels, round: number } };
    return Task.fromJson(JSON.stringify({ ...this.#template, ...round }));
  }
}

// From the system's randomness alone: the rounds and the hours of a device's reports tell nothing about it.
const drawPanel = ({ panels }) => ({
  panel: Number(new Tape(1).below(BigInt(panels))),
  secret: crypto.getRandomValues(new Uint8Array(16)),
});

const isPanel = ({ panel, secret }, { panels }) =>
  Number.isInteger(panel) && panel >= 0 && panel < panels && secret instanceof Uint8Array && secret.length === 16;

// When the report of a round is due: at its start, or later within the first `spread` share of it.
async function dueOf(series, { secret }, number, spread) {
  const data = new Uint8Array([...encoder.encode("pckv delay"), ...secret, ...new Uint8Array(8)]);
  new DataView(data.buffer).setBigUint64(data.length - 8, BigInt(number));
  const digest = new DataView(await crypto.subtle.digest("SHA-256", data));
  const seconds = BigInt(Math.floor(spread * (series.period * (DAY / 1000))));
  const delay = (digest.getBigUint64(0) * seconds) >> 64n;
  return new Date(Date.parse(series.opens(number)) + 1000 * Number(delay));
}

const receiptOf = (series, status, more) =>
  ({ series, status, round: undefined, due: undefined, epsilon: "0", perturbed: false, reason: "", ...more });

export class SeriesClient extends Client {
  #series = new Map();

  async series(id) {
    return (await this.#membership(id)).series;
  }

  async report(id, pairs, { spread = 0 } = {}) {
    const sound = typeof spread === "number" && spread >= 0 && spread <= 1;
    check(sound, "bad_parameter", `spread must be a number within [0, 1], not ${spread}`);
    await this.cap();
    let member;
    try {
      member = await this.#membership(id);
    } catch (error) {
      if (error.code !== "not_sent") throw error;
      return receiptOf(id, "unreachable", { reason: error.message });
    }
    const { series } = member, now = this.clock();
    check(Number.isFinite(Number(now)), "bad_parameter", `the clock must return a date, not ${now}`);
    const current = series.roundOn(dayOf(now));
    const entries = (await this.ledger()).filter((entry) => entry.series === id);
    const made = entries.find(({ round, status }) => round === current && status !== "removed");
    if (made) return this.#send(made, { due: await dueOf(series, member, current, spread) });
    readPairs(series.task, pairs);
    const last = Math.max(0, ...entries.map(({ round }) => round));
    const receipt = await this.#turn(member, now, spread, last);
    return receipt.status === "due" ? this.#make(receipt, await series.taskOf(receipt.round), pairs) : receipt;
  }

  // Whether a report is due now, or what a device without one waits for.
  async #turn({ series, ...member }, now, spread, last) {
    const { id, panels } = series, current = series.roundOn(dayOf(now));
    if (!current && now >= Date.parse(series.first)) return receiptOf(id, "over");
    // Rounds only go up, whatever the clock shows.
    const round = series.nextRound(member.panel, Math.max(current ?? 1, last && last + panels) - 1);
    if (!round) return receiptOf(id, "over");
    const due = await dueOf(series, member, round, spread);
    const later = !current ? "not_started" : round === current ? "delayed" : "not_due";
    return receiptOf(id, now >= due ? "due" : later, { round, due });
  }

  async #make(receipt, task, pairs) {
    let perturbed = false;
    if (await this._locked((on) => this._allow(on, task))) {
      const { said, kind, temporary, reason } = await this._post(this.url, task.id, "admission", {});
      if (kind && !temporary) return { ...receipt, status: "refused", reason };
      // Only the collector's clock confirms the round: no report is made without it.
      if (said?.coin !== null) return { ...receipt, status: "unreachable", reason };
      perturbed = await this._store(task, pairs);
    }
    return this.#send({ task: task.id, ...task.series, series: receipt.series }, { due: receipt.due, perturbed });
  }

  // The same bytes every time.
  async #send({ task, series, round }, more) {
    const [{ status, epsilon, reason }] = await this._deliver(await this._change(task, (stored) => this._readdressed(stored)));
    return receiptOf(series, status, { round, epsilon, reason, ...more });
  }

  // What a report of a round would spend: others of its series count as the same survey.
  _spending(task, entries) {
    if (!task.series) return super._spending(task, entries);
    const { id, panels, round } = task.series, name = task.name.replace(/, round \d+$/, "");
    const spending = super._spending({ ...task, name }, entries.filter(({ series }) => series !== id));
    const early = entries.find((entry) => entry.series === id && !(round >= entry.round + panels));
    const next = `its next report is for round ${early?.round + panels} or later, not for round ${round}`;
    check(!early, "not_due", `this device has reported in round ${early?.round} of series ${id}: ${next}; nothing was perturbed`);
    return { ...spending, series: id, round };
  }

  // The series, and the panel that this device is in: drawn and stored when the series is.
  async #membership(id) {
    check(isId(id), "wrong_series", `${id} is not the id of a series`);
    const stored = await this._locked((on) => on("series", "get", id));
    const text = stored ? stored.text : await this.#fetch(id);
    if (!this.#series.has(text)) this.#series.set(text, await Series.fromJson(text));
    const series = this.#series.get(text);
    check(series.id === id, "wrong_series", `this is the series ${series.id}, not ${id}`);
    const member = stored ?? (await this._locked((on) => this.#join(on, series)));
    check(isPanel(member, series), "bad_data", `the panel of series ${id} is damaged`);
    return { ...member, series };
  }

  // The first tab wins.
  async #join(on, series) {
    const stored = await on("series", "get", series.id);
    if (stored) return stored;
    const member = { text: series.text, ...drawPanel(series) };
    await on("series", "add", member, series.id);
    return member;
  }

  async #fetch(id) {
    const place = `${this.url}/series/${id}`, { status, kind, temporary, reason, text } = await this._ask(place, {});
    if (status === 200) return text;
    const { explain } = await import("./words.js"), code = kind && !temporary ? kind.replaceAll("-", "_") : "not_sent";
    throw new PckvError(code, `${place}: ${explain(reason, "series")}; nothing was perturbed`);
  }
}
