// A task repeated in rounds. A device draws one of the panels once, and reports in the rounds of its panel
// alone: any rounds in a row, as many as there are panels, hold at most one report of a device, whatever its
// clock shows.
import { digest, encodeText, toId } from "./bytes.js";
import { errorCodeOf } from "./collector.js";
import { PckvError, check } from "./errors.js";
import { isCount, isDayOrNull, isId, isName } from "./formats.js";
import { Client } from "./index.js";
import { checkPairs } from "./report.js";
import { Tape } from "./tape.js";
import { Task } from "./task.js";

export { PckvError } from "./errors.js";

const DAY = 86_400_000;
const LAST_DAY = Date.parse("9999-12-31");
const MOST = { panels: 1000, period: 3660, rounds: 1_000_000 };
const SECRET_BYTES = 16;

function checkSeries(condition, what) {
  check(condition, "bad_series", `not a series: ${what}`);
}

function dayOf(time) {
  return new Date(time).toJSON().slice(0, 10);
}

// The contract of every round: a task without its own days.
async function readTemplate(members) {
  let task;
  try {
    task = await Task.fromJson(JSON.stringify(members ?? null));
  } catch (error) {
    // A page without crypto.subtle cannot tell whether it is one.
    const isFaulty = error instanceof PckvError && error.code !== "no_crypto";
    checkSeries(!isFaulty, error.message);
    throw error;
  }
  checkSeries(!task.opens && !task.closes && !task.series, "its task has days, or is a round itself");
  const isInvited = task.coin === "server";
  checkSeries(!isInvited, "the coins of its task are the server's, and the rounds of a series have no invitations");
  checkSeries(isName(`${task.name}, round ${MOST.rounds}`), "the names of its rounds are too long");
  return task;
}

function parseMembers(text) {
  try {
    return Object(JSON.parse(text));
  } catch (error) {
    checkSeries(false, error.message);
  }
}

function checkMembers({ first, panels, period, rounds, task, version }, text) {
  const canonical = JSON.stringify({ first, panels, period, rounds, task, version });
  checkSeries(canonical === text, "it is not in canonical form, with all of its members and no others");
  checkSeries(version === 1, "version");
  checkSeries(first !== null && isDayOrNull(first), "first");
  checkSeries(isCount(panels) && panels <= MOST.panels, "panels");
  checkSeries(isCount(period) && period <= MOST.period, "period");
  checkSeries(rounds === null || (isCount(rounds) && rounds <= MOST.rounds), "rounds");
  const hasAllPanels = rounds === null || panels <= rounds;
  checkSeries(hasAllPanels, "there are more panels than rounds: devices would never report");
}

export class Series {
  #template;

  static async fromJson(text) {
    const members = parseMembers(text);
    checkMembers(members, text);
    const task = await readTemplate(members.task);
    const id = toId(await digest(encodeText(text)));
    const { first, panels, period, rounds } = members;
    const series = new Series();
    series.#template = members.task;
    Object.assign(series, { id, text, name: task.name, task, first, panels, period, rounds });
    checkSeries(series.#has(rounds ?? 1), "it ends after the year 9999");
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
    const { panels } = this;
    // The remainder of a negative number is negative.
    const steps = (((panel - after - 1) % panels) + panels) % panels;
    const number = after + 1 + steps;
    return this.#has(number) ? number : undefined;
  }

  taskOf(number) {
    const { id, name, panels } = this;
    const round = {
      name: `${name}, round ${number}`,
      opens: this.opens(number),
      closes: this.closes(number),
      series: { id, panels, round: number },
    };
    return Task.fromJson(JSON.stringify({ ...this.#template, ...round }));
  }
}

// From the system's randomness alone: the rounds and the hours of a device's reports tell nothing about its
// pairs.
function drawPanel({ panels }) {
  return {
    panel: Number(new Tape(1).below(BigInt(panels))),
    secret: crypto.getRandomValues(new Uint8Array(SECRET_BYTES)),
  };
}

function isPanel({ panel, secret }, { panels }) {
  const isNumber = Number.isInteger(panel) && panel >= 0 && panel < panels;
  return isNumber && secret instanceof Uint8Array && secret.length === SECRET_BYTES;
}

// When the report of a round is due: at its start, or later within the first `spread` share of it.
async function dueOf(series, { secret }, number, spread) {
  const data = Uint8Array.of(...encodeText("pckv delay"), ...secret, ...new Uint8Array(8));
  new DataView(data.buffer).setBigUint64(data.length - 8, BigInt(number));
  const hash = new DataView((await digest(data)).buffer);
  const seconds = BigInt(Math.floor(spread * (series.period * (DAY / 1000))));
  const delay = (hash.getBigUint64(0) * seconds) >> 64n;
  return new Date(Date.parse(series.opens(number)) + 1000 * Number(delay));
}

function receiptOf(series, status, more) {
  const none = { round: undefined, due: undefined, epsilon: "0", perturbed: false, reason: "" };
  return { series, status, ...none, ...more };
}

// What a device waits for that has no report to make now.
function waitingStatus(current, round) {
  if (current === undefined) return "not_started";
  return round === current ? "delayed" : "not_due";
}

export class SeriesClient extends Client {
  #series = new Map();

  async series(id) {
    return (await this.#membership(id)).series;
  }

  async report(id, pairs, { spread = 0, segment } = {}) {
    const isShare = typeof spread === "number" && spread >= 0 && spread <= 1;
    check(isShare, "bad_parameter", `spread must be a number within [0, 1], not ${spread}`);
    // A cap is remembered even where nothing is perturbed.
    await this.cap();
    let member;
    try {
      member = await this.#membership(id);
    } catch (error) {
      if (error.code !== "not_sent") throw error;
      return receiptOf(id, "unreachable", { reason: error.message });
    }
    return this.#reportAs(member, pairs, segment, spread);
  }

  async turn(id) {
    const member = await this.#membership(id);
    const { made, due, now, last } = await this.#history(member, 0);
    if (made) return receiptOf(id, made.status, { round: made.round, epsilon: made.epsilon, due });
    const receipt = await this.#turn(member, now, 0, last);
    const isDue = receipt.status === "due";
    if (!isDue) return receipt;
    const task = await member.series.taskOf(receipt.round);
    const isFree = await this._locked((on) => this._allow(on, task));
    return isFree ? ((await this.#refusal(receipt, task)) ?? receipt) : this.turn(id);
  }

  async rounds(id, count) {
    const member = await this.#membership(id);
    const { series, panel } = member;
    const { made, now, last } = await this.#history(member, 0);
    const first = made ? series.nextRound(panel, made.round) : (await this.#turn(member, now, 0, last)).round;
    const found = [];
    for (let round = first; round && found.length < count; round = series.nextRound(panel, round)) {
      found.push({ round, opens: series.opens(round), closes: series.closes(round) });
    }
    return found;
  }

  // The report of the current round, if it was made, and the last round that had one.
  async #history({ series, secret }, spread) {
    const now = this.clock();
    check(Number.isFinite(Number(now)), "bad_parameter", `the clock must return a date, not ${now}`);
    const current = series.roundOn(dayOf(now));
    const entries = (await this.ledger()).filter((entry) => entry.series === series.id);
    const made = entries.find(({ round, status }) => round === current && status !== "removed");
    const due = made && (await dueOf(series, { secret }, current, spread));
    return { made, due, now, last: Math.max(0, ...entries.map(({ round }) => round)) };
  }

  async #reportAs(member, pairs, segment, spread) {
    const { series } = member;
    const { made, due, now, last } = await this.#history(member, spread);
    if (made) return this.#send(made, { due });
    checkPairs(series.task, pairs, segment);
    const receipt = await this.#turn(member, now, spread, last);
    if (receipt.status !== "due") return receipt;
    return this.#make(receipt, await series.taskOf(receipt.round), pairs, segment);
  }

  // Whether a report is due now, or what a device without one waits for.
  async #turn({ series, ...member }, now, spread, last) {
    const { id, panels } = series;
    const current = series.roundOn(dayOf(now));
    if (!current && now >= Date.parse(series.first)) return receiptOf(id, "over");
    // Rounds only go up, whatever the clock shows.
    const earliest = Math.max(current ?? 1, last && last + panels);
    const round = series.nextRound(member.panel, earliest - 1);
    if (!round) return receiptOf(id, "over");
    const due = await dueOf(series, member, round, spread);
    return receiptOf(id, now >= due ? "due" : waitingStatus(current, round), { round, due });
  }

  // Why no report of a round can be made now; undefined if the collector would take one.
  async #refusal(receipt, task) {
    await this._checkSealing(task);
    const { said, kind, temporary, reason } = await this._post(this._origin(task), task.id, "admission", {});
    if (kind && !temporary) return { ...receipt, status: "refused", reason };
    // Only the collector's clock confirms the round: no report is made without it.
    if (said?.coin !== null) return { ...receipt, status: "unreachable", reason };
    return undefined;
  }

  async #make(receipt, task, pairs, segment) {
    let perturbed = false;
    if (await this._locked((on) => this._allow(on, task))) {
      const refusal = await this.#refusal(receipt, task);
      if (refusal) return refusal;
      perturbed = await this._store(task, pairs, segment);
    }
    const made = { task: task.id, series: receipt.series, round: task.series.round };
    return this.#send(made, { due: receipt.due, perturbed });
  }

  // The same bytes every time.
  async #send({ task, series, round }, more) {
    const stored = await this._change(task, (before) => this._readdressed(before));
    const { receipt } = await this._deliver(stored);
    const { status, epsilon, reason } = receipt;
    return receiptOf(series, status, { round, epsilon, reason, ...more });
  }

  // What a report of a round would spend: others of its series count as the same survey.
  _spending(task, entries) {
    if (!task.series) return super._spending(task, entries);
    const { id, panels, round } = task.series;
    const name = task.name.replace(/, round \d+$/, "");
    const others = entries.filter(({ series }) => series !== id);
    const spending = super._spending({ ...task, name }, others);
    const early = entries.find((entry) => entry.series === id && !(round >= entry.round + panels));
    if (early) {
      const reported = `this device has reported in round ${early.round} of series ${id}`;
      const next = `its next report is for round ${early.round + panels} or later, not for round ${round}`;
      throw new PckvError("not_due", `${reported}: ${next}; nothing was perturbed`);
    }
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
    const { mixer } = series.task;
    if (!stored && mixer?.url !== this.url) await this._checkAccepted(mixer, `series/${id}`, text);
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
    const place = `${this.url}/series/${id}`;
    const answer = await this._ask(place, {});
    if (answer.status === 200) return answer.text;
    const { explain } = await import("./words.js");
    const reason = explain(answer.reason, "series");
    throw new PckvError(errorCodeOf(answer), `${place}: ${reason}; nothing was perturbed`);
  }
}
