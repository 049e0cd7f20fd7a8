/** Any refusal: one clear line for people, and a stable code for programs. */
export declare class PckvError extends Error {
  /**
   * `bad_task`, `bad_pairs`, `bad_parameter`, `no_crypto`, or from the client: `wrong_task`, `already_served`,
   * `over_budget`, `not_sent`, `refused`.
   */
  readonly code: string;
}

/** One participant's pairs; only a Map keeps the order of numbered keys. */
export type Pairs = Record<string, number> | Map<string, number>;

/** What leaves the device: a random id of 16 bytes and the perturbed body. */
export interface Report {
  readonly id: Uint8Array;
  readonly body: Uint8Array;
}

/** How often a report supports a key, whichever pair was sampled; for a pilot, how often it names a bucket. */
export interface Odds {
  /** The paper's a, b and p; a report that supports both signs of a key counts twice in a and b. */
  readonly a: number;
  readonly b: number;
  readonly p: number;
  /** The chance that a report claims a key (a pilot: a bucket) for its sender: if it is theirs, and if it is not. */
  readonly held: number;
  readonly absent: number;
}

/** What is collected, at which ε and how: immutable, and bound by its id. */
export declare class Task {
  private constructor();
  /** Read a task; anything but its one canonical text is refused. */
  static fromJson(text: string): Promise<Task>;
  readonly id: string;
  readonly text: string;
  /** The survey's name: its pilot and its main task share it. */
  readonly name: string;
  /** `pairs`, or `sizes` for a pilot, which asks how many pairs people hold. */
  readonly kind: "pairs" | "sizes";
  /** The names of the keys, or their number if they are named "0", "1" and so on. */
  readonly keys: readonly string[] | number;
  readonly keyCount: number;
  readonly low: number;
  readonly high: number;
  /** The ε that was asked for. */
  readonly epsilon: string;
  /** The ε that the integers give, rounded up; never above the one asked for. */
  readonly realisedEpsilon: number;
  readonly padding: number;
  /** The mechanism's name, which is also the name of its file in `mechanisms/`. */
  readonly mechanism: string;
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly opens: string | null;
  readonly closes: string | null;
  /** The buckets of a pilot, like "3-4", the last one like "5+"; other tasks have none. */
  readonly buckets?: readonly string[];
  readonly odds: Odds;
  /**
   * Whether the task takes reports on a day (YYYY-MM-DD, UTC; today if left out): from `opens` on and before `closes`.
   * The collector may also have closed it early.
   */
  phase(day?: string): "waiting" | "open" | "closed";
  /** The bucket that a pilot's report names. */
  says(body: Uint8Array): string;
  /** Whether a body claims that its sender holds a key with a high value, and with a low one. */
  says(body: Uint8Array, key: string): { readonly plus: boolean; readonly minus: boolean };
}

/**
 * How long one call tries: at most `tries` times and `seconds` in total, each try for at most `timeout` seconds, with
 * random pauses whose upper bound starts at `firstPause` seconds and doubles.
 */
export interface RetryPolicy {
  readonly tries?: number;
  readonly seconds?: number;
  readonly firstPause?: number;
  readonly timeout?: number;
}

/** Fetch a task from a collector and check it against its id. */
export declare function fetchTask(url: string, id: string, retryPolicy?: RetryPolicy): Promise<Task>;

/**
 * One participant's report, from the browser's randomness. Every call spends the task's ε: keep the report, and send
 * the same bytes again on a retry. `Client` does that.
 */
export declare function perturb(task: Task, pairs: Pairs): Report;

/** The state of a task's report, and the ε that it spent. */
export interface Receipt {
  readonly task: string;
  /** `prepared`: it is stored and waits for `send`. `waiting`: `flush` sends it later. */
  readonly status: "prepared" | "waiting" | "sent" | "refused";
  /** The realised ε, a decimal. */
  readonly epsilon: string;
  /** Whether this call perturbed: if not, it ignored the pairs it was given. */
  readonly perturbed: boolean;
  /** Why a report waits or was refused. */
  readonly reason: string;
  readonly report: Report;
}

/**
 * One browser's client of a collector: at most one report per task, whatever happens in between. All tabs of an origin
 * with the same `state` share the reports, the ledger and the cap.
 */
export declare class Client {
  constructor(url: string, options?: { state?: string; cap?: string | number; retryPolicy?: RetryPolicy });
  readonly url: string;
  /** The task with an id: fetched once, checked against the id, then stored. */
  task(id: string): Promise<Task>;
  /**
   * Perturb these pairs for a task, unless that was done before, and send the report. A refusal is a `PckvError`. A
   * closed task is refused before anything is perturbed (`not_sent`). Whoever served in a pilot cannot serve in the main
   * task of the same name, nor the other way round (`already_served`).
   */
  submit(id: string, pairs: Pairs, options?: { invitation?: string }): Promise<Receipt>;
  /** The first half of `submit`: the report is made and stored, and nothing is sent before `send`. */
  prepare(id: string, pairs: Pairs, options?: { invitation?: string }): Promise<Receipt>;
  /** The second half of `submit`. */
  send(id: string): Promise<Receipt>;
  /** Send all reports that wait for this collector, and return their receipts. */
  flush(): Promise<Receipt[]>;
  /** The ε that each task has spent, from the moment that its report is stored. */
  ledger(): Promise<Record<string, string>>;
  /** The ε that all tasks together have spent. */
  spent(): Promise<string>;
}
