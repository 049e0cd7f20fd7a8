import { Client, type Keys, type Pairs, type Task } from "./index.js";

export { PckvError } from "./index.js";

/** A task repeated in rounds: immutable, and bound by its id. */
export declare class Series {
  private constructor();
  /** Read a series; anything but its one canonical text is refused (`bad_series`). */
  static fromJson(text: string): Promise<Series>;
  readonly id: string;
  readonly text: string;
  /** The name, which is that of its task. */
  readonly name: string;
  /** The contract of every round: a task without days of its own. */
  readonly task: Task;
  /** The first day of round 1, YYYY-MM-DD in UTC. */
  readonly first: string;
  /** How many days a round takes. */
  readonly period: number;
  /** How many panels there are: a device reports in one round out of that many. */
  readonly panels: number;
  /** How many rounds there are; null if there is no last one. */
  readonly rounds: number | null;
  /** The first day of a round, numbered from 1. */
  opens(round: number): string;
  /** The first day on which a round takes no more reports. */
  closes(round: number): string;
  /** The round that takes reports on a day (YYYY-MM-DD, UTC); undefined before the first and after the last. */
  roundOn(day: string): number | undefined;
  /** The first round of a panel, from 0, after another round; undefined if there is none. */
  nextRound(panel: number, after: number): number | undefined;
  /** The task of a round, the same for everybody. */
  taskOf(round: number): Promise<Task>;
}

/** What a call did about a series. */
export interface RoundReceipt {
  /** The id of the series. */
  readonly series: string;
  /**
   * The state of the report of the round: `sent`, `waiting` (stored, and sent by later calls or `flush`) or `refused` (if the
   * collector said so before the report was made, nothing is spent). Or why there is none: `not_due` (this device reports
   * in a later round), `delayed` (later in this round), `unreachable` (the collector did not answer, and nothing was
   * perturbed), `not_started`, or `over` (this device has no more rounds).
   */
  readonly status: "sent" | "waiting" | "refused" | "not_due" | "delayed" | "unreachable" | "not_started" | "over";
  /** The round of the report, or of this device's next one; undefined if there is none, or none is known. */
  readonly round?: number;
  /** From when on this device reports in that round. */
  readonly due?: Date;
  /** The ε that the report of that round has spent, a decimal; "0" if there is none yet. */
  readonly epsilon: string;
  /** Whether this call perturbed: if not, it did not use the pairs it was given. */
  readonly perturbed: boolean;
  /** Why a report waits, was refused or was not made. */
  readonly reason: string;
}

/** A client that also reports to series. It shares reports, ledger and caps with every `Client` of the same `state`. */
export declare class SeriesClient extends Client {
  /**
   * The series with an id: fetched once, checked against the id, then stored, with the panel that this device is in. The
   * panel is drawn then, uniformly, from the browser's randomness alone.
   */
  series(id: string): Promise<Series>;
  /**
   * Report in the current round of a series if a report is due, and say what was done. Call it at every start of an app: a
   * device reports in one round out of as many as there are panels, waits for its next one if it was off, and sends the
   * same bytes until the collector has decided. That many rounds in a row hold at most one report of a device.
   * A report is made only after the collector has answered that it would take one: its clock confirms the round.
   *
   * If `spread` is above 0, reports are due at a random moment within this share of the round, from its start on; the first
   * call after it sends, so that frequent calls hide the hour in which somebody uses the page.
   *
   * Refused (`PckvError`) are another task or series of the same name (`answered`), an ε beyond a cap (`over_budget`), pairs
   * that do not fit (`bad_pairs`), a series that the collector does not have (`unknown`), and a text that is another one
   * (`wrong_series`, `bad_series`).
   */
  report(id: string, pairs: Pairs | Keys, options?: { spread?: number; segment?: string }): Promise<RoundReceipt>;
  /**
   * What `report` would do now, without pairs: nothing is made or sent. The status is `due` where a report would be made and
   * the collector answered that it would take one; otherwise it is that of `report`, which may throw the same.
   */
  turn(id: string): Promise<Omit<RoundReceipt, "status"> & { readonly status: RoundReceipt["status"] | "due" }>;
  /** The next rounds of this device, at most `count`: the current one if a report of it is still to be made. */
  rounds(id: string, count: number): Promise<{ round: number; opens: string; closes: string }[]>;
}
