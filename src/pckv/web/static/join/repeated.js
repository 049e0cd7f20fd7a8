// A repeated survey: its page is that of the round in which this device has its turn, or says when that is.
import { PckvError } from "/client/index.js";
import { SeriesClient } from "/client/series.js";
import { make, save } from "../shared/page.js";
import { calendarOf } from "./calendar.js";
import { day, lasting, say, told } from "./join-strings.js";

const MAX_DAYS = 12;

// The client of a page whose survey is a round of a series: what it is asked about that round, it asks of the series.
export class RoundClient extends SeriesClient {
  async submit(_, pairs, { segment } = {}) {
    const { status, round, reason } = await this.report(this.round.series.id, pairs, { segment });
    const isOther = round !== this.round.number || !["sent", "waiting", "refused"].includes(status),
      receipt = isOther ? undefined : await this.receipt(this.round.task.id);
    if (receipt) return receipt;
    if (status === "unreachable") throw new PckvError("not_sent", reason);
    throw new PckvError(status === "refused" ? codeOf(reason) : "not_due", reason);
  }
}

const codeOf = (reason) => reason.split(":")[0].replaceAll("-", "_");

// The task to show, with the receipt of its report or what there is instead of one.
export async function findRound(client, id) {
  let series;
  try {
    series = await client.series(id);
    const turn = await client.turn(id),
      isRound = ["due", "sent", "waiting", "refused"].includes(turn.status),
      task = isRound ? await series.taskOf(turn.round) : series.task,
      receipt = isRound ? await client.receipt(task.id) : undefined;
    // No round asks again, whatever their days are.
    if (told("closed") && !receipt) throw new PckvError("closed", "the series is closed");
    if (turn.status === "unreachable") throw new PckvError("not_sent", turn.reason);
    client.round = { series, task, number: turn.round };
    const repeated = new Rounds(series, turn, () => nextDays(client, series));
    await repeated.find();
    if (turn.status !== "refused" || receipt) return { task, receipt, repeated };
    const code = codeOf(turn.reason);
    // Only this round has ended.
    if (!["closed", "deleted"].includes(code) || !repeated.days.length) throw new PckvError(code, turn.reason);
    repeated.wait();
    return { task: series.task, repeated };
  } catch (error) {
    return { error, task: series?.task };
  }
}

// The next turns of this device, as far as the caps on its spending allow.
async function nextDays(client, { id, task }) {
  const left = async (cap, spent, cost) => Math.floor((Number(await cap) - Number(await spent)) / cost + 1e-9);
  const shares = await Promise.all([
    left(client.cap(), client.spent(), Number(task.mixer?.epsilon ?? task.realisedEpsilon)),
    left(client.localCap(), client.localSpent(), task.realisedEpsilon),
  ]);
  return client.rounds(id, Math.max(0, Math.min(MAX_DAYS, ...shares)));
}

// What the page says about the rounds of a series.
class Rounds {
  constructor(series, { status, round, due }, ask) {
    const isOver = status === "over";
    Object.assign(this, { series, round, due, ask, isNow: !["not_due", "not_started", "over"].includes(status) });
    this.state = isOver ? "over" : "not_due";
  }

  async find() {
    this.days = (await this.ask()).filter(({ round }) => !this.isNow || round !== this.round);
  }

  // For the next turn, since the round of this one was closed or deleted.
  wait() {
    const [{ round, opens }] = this.days;
    Object.assign(this, { round, due: new Date(opens), isNow: false, state: "round_closed" });
  }

  // On the form.
  about() {
    const { panels, period } = this.series,
      turns = panels === 1 ? say("series_every") : say("series_one_of", { panels });
    return make("p", { id: "repeats" }, say("series_repeats", { days: lasting(period, "day"), turns }));
  }

  // Why there is no form.
  turn() {
    const { series, state, round } = this,
      opens = round && day(series.opens(round)),
      values = { day: opens, panels: series.panels };
    const words = state === "not_due" && series.panels === 1 ? "not_started" : state;
    return { title: say(`panel_${words}_title`), words: say(`panel_${words}`, values) };
  }

  // After a report.
  next() {
    if (told("closed")) return make("section", { id: "next-turn" }, make("p", {}, say("series_ended")));
    const [first] = this.days,
      words = first ? say("series_note", { day: day(first.opens) }) : say("series_over");
    return make("section", { id: "next-turn" }, make("p", {}, words), this.calendar());
  }

  calendar() {
    const { days, series } = this;
    if (!days.length) return null;
    const { host, origin } = location,
      link = `${origin}/join/${series.id}`;
    // Others may read the calendar: what the survey is about is not said there.
    const events = days.map(({ round, opens, closes }) => ({
      uid: `${series.id}-${round}@${host}`,
      day: opens,
      title: say("calendar_event", { host }),
      text: say("calendar_text", { day: day(closes, -1), link }),
      link,
    }));
    const file = () => new Blob([calendarOf(events, new Date())], { type: "text/calendar" });
    return make(
      "div",
      { class: "calendar" },
      make("button", { type: "button", onclick: () => save(file(), "survey.ics") }, say("calendar")),
      make("small", {}, say("calendar_note", { count: days.length, host })),
    );
  }
}
