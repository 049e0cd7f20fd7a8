// Every schedule of a device that reports to a series: when it is on, what its clock shows, where it is killed. The walk visits
// every state that some schedule leads to, and takes every action from it. What a call must answer is computed here from the
// rounds that were reported, and compared.
import { SeriesDevice, readOnce } from "./series-device.mjs";

const client = new URL(import.meta.url).searchParams.get("client");
const { Task } = await import(`${client}/task.js`);
const { Series, SeriesClient } = await import(`${client}/series.js`);
readOnce(Task);

function must(holds, ...said) {
  if (!holds) throw new Error(said.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(" "));
}

/** A walk through all schedules of some rounds with at most a number of faults. A device that is off costs none. */
class Walk {
  calls = 0;
  states = 0;

  constructor(device, rounds, faults, trusting) {
    Object.assign(this, { device, rounds, faults, trusting });
    device.collector.trusting = trusting;
  }

  async run() {
    let reached = [[this.device.none, this.faults]];
    for (let now = 0; now <= this.rounds + 1; now++) {
      this.now = this.device.collector.now = now;
      reached = await this.#visit(reached);
    }
    return { calls: this.calls, states: this.states };
  }

  /** What later calls can tell apart. With no fault left, the clock is right from now on: earlier rounds are not asked for. */
  #keyOf(left) {
    const { device, now } = this,
      rows = (store) => [...device.byRound(store)];
    const reports = rows("reports")
      .filter(([round]) => left || round >= now)
      .map(([round, { status }]) => [round, status]);
    const uploads = left ? [...device.collector.reports.keys()] : [];
    const spent = rows("spent").map(([round]) => round);
    return JSON.stringify([left, device.member?.panel, device.draws, spent, reports, uploads]);
  }

  async #visit(reached) {
    const found = new Map(),
      queue = [],
      add = (state, left) => {
        this.device.returnTo(state);
        const key = this.#keyOf(left);
        if (found.has(key)) return;
        found.set(key, [state, left]);
        queue.push([state, left]);
      };
    for (const [state, left] of reached) add(state, left);
    for (let at = 0; at < queue.length; at++) {
      const [state, left] = queue[at];
      for await (const [next, cost] of this.#actions(state, left)) add(next, left - cost);
    }
    this.states += found.size;
    return [...found.values()];
  }

  async *#actions(state, left) {
    const { device, now } = this,
      tab = {};
    yield [await this.#act(state, () => this.#checkCall(now, tab)), 0];
    if (!left) return;
    const faulty = async (action) => [await this.#act(state, action), 1];
    for (const [killAt, step] of tab.steps.entries()) {
      // Within a transaction, nothing is stored before its end.
      if (step === "store") continue;
      yield faulty(async () => must((await device.report(now, { killAt })) === "killed", "it was not killed"));
    }
    for (let clock = 0; clock <= this.rounds + 1; clock++)
      if (clock !== now) yield faulty(() => this.#checkCall(clock));
    yield faulty(() => this.#unreachable());
    yield faulty(() => this.#lost());
    yield faulty(() => this.#withoutPanel());
    for (const [overtakenAt, step] of tab.steps.entries()) {
      if (!["open", "request", "answer"].includes(step)) continue;
      for (const otherClock of new Set([now, Math.max(0, now - device.series.panels)])) {
        yield faulty(() => device.report(now, { overtakenAt, otherClock }));
      }
    }
  }

  async #act(state, action) {
    const { device } = this;
    this.calls++;
    device.returnTo(state);
    const made = new Set(device.byRound("reports").keys());
    await action();
    const reports = [...device.byRound("reports").keys()];
    this.#checkWindow(reports);
    const right = (round) => made.has(round) || round === this.now || this.trusting;
    for (const round of reports) must(right(round), `round ${round} was reported in round ${this.now}`);
    return device.state();
  }

  /** Rounds in a row, as many as there are panels, hold one report, and no report was made twice. */
  #checkWindow(reports) {
    const { device } = this,
      spent = [...device.byRound("spent").keys()];
    for (const [round, taken] of device.collector.reports) {
      must(taken.size === 1, `two reports of round ${round} were sent`);
      must(spent.includes(round), `the report of round ${round} was sent before it was recorded`);
    }
    const made = [...new Set([...reports, ...device.collector.reports.keys()])].sort((x, y) => x - y);
    made.forEach((round, at) => must(!at || round - made[at - 1] >= device.series.panels, `reports in rounds ${made}`));
  }

  async #checkCall(clock, tab = {}) {
    const { device, now } = this,
      expected = this.#expected(clock),
      receipt = await device.report(clock, tab);
    const { status, round, epsilon, perturbed } = receipt;
    must(status === expected, receipt, `and not ${expected}, in round ${now} by a clock of ${clock}`);
    must(!perturbed || now === clock || this.trusting, "perturbed in another round");
    must(device.member, "the panel was not stored");
    const [cost, of] = device.byRound("reports").has(clock) ? ["1", clock] : ["0", round];
    must(epsilon === cost && round === of, receipt);
  }

  /** What a call that nothing disturbs says if the clock shows a round. */
  #expected(clock) {
    const { device, rounds, now } = this,
      { panels } = device.series,
      reports = device.byRound("reports");
    if (clock > rounds) return "over";
    const stored = reports.get(clock);
    if (stored && stored.status !== "waiting") return stored.status;
    const taken = clock === now || this.trusting;
    if (stored) return taken ? "sent" : clock > now ? "waiting" : "refused";
    const panel = device.member?.panel ?? (device.panel + device.draws) % panels,
      last = Math.max(-Infinity, ...reports.keys());
    let free = Math.max(clock, 1);
    while (free % panels !== panel || free < last + panels) free++;
    if (free > rounds) return "over";
    if (!clock) return "not_started";
    return free > clock ? "not_due" : taken ? "sent" : "refused";
  }

  async #unreachable() {
    const { device } = this,
      made = device.byRound("reports").size;
    device.collector.reachable = false;
    await device.report(this.now);
    device.collector.reachable = true;
    must(device.byRound("reports").size === made, "a report was made offline");
  }

  async #lost() {
    this.device.collector.loses = true;
    await this.device.report(this.now);
    this.device.collector.loses = false;
  }

  async #withoutPanel() {
    this.device.forgetPanel();
    await this.device.report(this.now);
  }
}

async function deviceOf({ series, rounds, panel = 0 }) {
  const read = await Series.fromJson(series);
  const tasks = await Promise.all(Array.from({ length: rounds }, (_, at) => read.taskOf(at + 1)));
  const device = new SeriesDevice(SeriesClient, read, tasks, panel);
  device.install();
  return device;
}

const shown = (bytes) => Buffer.from(bytes).toString("hex");

const orNull = (value) => value ?? null;

const ANSWERS = {
  /** What a series says about its rounds, or why it is refused. */
  vector: async ({ json, rounds = {}, days = {}, next = [] }) => {
    try {
      const series = await Series.fromJson(json),
        number = (text) => Number(text);
      const ids = await Promise.all(
        Object.keys(rounds)
          .map(number)
          .map((round) => series.taskOf(round)),
      );
      return {
        id: series.id,
        rounds: Object.fromEntries(
          ids.map(({ id, opens, closes, series: { round } }) => [round, { id, opens, closes }]),
        ),
        days: Object.fromEntries(Object.keys(days).map((day) => [day, orNull(series.roundOn(day))])),
        next: next.map(([panel, after]) => [panel, after, orNull(series.nextRound(panel, after))]),
      };
    } catch (error) {
      return { code: error.code, message: error.message };
    }
  },

  /** All schedules from every panel, with a collector that takes the round of its own clock, or any if it is trusting. */
  walk: async ({ series, rounds, faults, trusting = false }) => {
    const { panels } = await Series.fromJson(series),
      counts = { calls: 0, states: 0 };
    for (let panel = 0; panel < panels; panel++) {
      try {
        const walk = new Walk(await deviceOf({ series, rounds, panel }), rounds, faults, trusting),
          { calls, states } = await walk.run();
        counts.calls += calls;
        counts.states += states;
      } catch (error) {
        return { fault: error.message };
      }
    }
    return counts;
  },

  /** The panels that lists of draws give to new devices, how many draws each took, and whether the secret was random. */
  panels: async ({ series, draws }) => {
    const drawn = [];
    for (const numbers of draws) {
      const device = await deviceOf({ series, rounds: 1 }),
        given = [],
        fill = crypto.getRandomValues;
      device.numbers = [...numbers];
      crypto.getRandomValues = (data) => {
        given.push(shown(fill(data)));
        return data;
      };
      await device.call(1, "series", [device.series.id]);
      drawn.push([device.member.panel, device.draws, given.includes(shown(device.member.secret))]);
    }
    return drawn;
  },

  /**
   * Calls one after another, each in a tab that was just opened. `set` sets what the collector does from then on, and `edit`
   * changes the row of the series.
   */
  calls: async ({ calls, contracts = {}, ...given }) => {
    const device = await deviceOf(given),
      results = [];
    for (const path in contracts) device.collector.contracts.set(path, contracts[path]);
    for (const { clock, method, given: parameters, tab = {}, options, set, edit } of calls) {
      Object.assign(device.collector, set);
      if (edit) device.database.rows.get("series").set(device.series.id, { ...device.member, ...edit });
      results.push(orNull(await device.call(clock, method, parameters, tab, options)));
    }
    const reports = Array.from(device.collector.reports, ([round, taken]) => [round, taken.size]);
    return { results, reports, secret: device.member && shown(device.member.secret) };
  },
};

export const answer = (request) => ANSWERS[request.do](request);
