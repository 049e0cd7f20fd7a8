/** Any refusal: one clear line, and a code that stays. */
export declare class PckvError extends Error {
  /**
   * `bad_task`, `bad_pairs`, `bad_parameter`, `no_crypto`, or of the client's: `wrong_task`, `already_served`,
   * `over_budget`, `not_sent`, `refused`.
   */
  readonly code: string;
}

/** One participant's pairs; a Map keeps the order of numbered keys too. */
export type Pairs = Record<string, number> | Map<string, number>;

/** What leaves the device: a random id of 16 bytes and the perturbed body. */
export interface Report {
  readonly id: Uint8Array;
  readonly body: Uint8Array;
}

/** How often a report supports a key, whichever of its pairs was sampled; of a pilot, how often it names a bucket. */
export interface Odds {
  /** The paper's a, b and p; a report that supports both signs of a key counts twice in a and b. */
  readonly a: number;
  readonly b: number;
  readonly p: number;
  /** The chance that a report says of a key that its sender holds it, or is in a bucket: if she is, and if not. */
  readonly held: number;
  readonly absent: number;
}

/** What is collected, at which ε and how: fixed for good, and bound by its id. */
export declare class Task {
  private constructor();
  /** Read a task; anything but its one canonical text is refused. */
  static fromJson(text: string): Promise<Task>;
  readonly id: string;
  readonly text: string;
  /** A survey's: its pilot and its main task have the same one. */
  readonly name: string;
  /** Whether pairs are collected or, by a pilot, how many of them people hold. */
  readonly kind: "pairs" | "sizes";
  /** The names of the keys, or how many there are: then they are named "0" and so on. */
  readonly keys: readonly string[] | number;
  readonly keyCount: number;
  readonly low: number;
  readonly high: number;
  /** The ε that was asked for. */
  readonly epsilon: string;
  /** The ε that the integers give, rounded up; never above the one asked for. */
  readonly realisedEpsilon: number;
  readonly padding: number;
  readonly mechanism: "ue" | "grr" | "ue-compact" | "collision" | "buckets";
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly opens: string | null;
  readonly closes: string | null;
  /** The buckets of a pilot, like "3-4" and at last "5+"; of other tasks there are none. */
  readonly buckets?: readonly string[];
  readonly odds: Odds;
  /** The bucket that a pilot's report names. */
  says(body: Uint8Array): string;
  /** Whether a body says of a key that its sender holds it with a high value, with a low one. */
  says(body: Uint8Array, key: string): { readonly plus: boolean; readonly minus: boolean };
}

/** How long one call tries: so often, for so many seconds in all, with random pauses whose bound doubles. */
export interface Patience {
  readonly tries?: number;
  readonly seconds?: number;
  readonly firstPause?: number;
  readonly timeout?: number;
}

/** Fetch a task from a collector and check it against its id. */
export declare function fetchTask(url: string, id: string, patience?: Patience): Promise<Task>;

/**
 * One participant's report, from the browser's randomness. Every call spends the task's ε: keep the report, and send
 * the same bytes again on a retry. `Client` does that.
 */
export declare function perturb(task: Task, pairs: Pairs): Report;

/** Where the report of a task is, and what it cost. */
export interface Receipt {
  readonly task: string;
  /** `prepared`: it is kept and waits for `send`. `waiting`: `flush` sends it later. */
  readonly status: "prepared" | "waiting" | "sent" | "refused";
  /** The realised ε, a decimal. */
  readonly epsilon: string;
  /** Whether this very call perturbed: if not, the pairs it was given were not looked at. */
  readonly perturbed: boolean;
  /** Why a report waits or was refused. */
  readonly reason: string;
  readonly report: Report;
}

/**
 * One browser's way to a collector: at most one report a task, whatever happens in between. All tabs of an origin that
 * name the same `state` share the reports, the ledger and the cap.
 */
export declare class Client {
  constructor(url: string, options?: { state?: string; cap?: string | number; patience?: Patience });
  readonly url: string;
  /** The task of an id: fetched once, checked against the id, then kept. */
  task(id: string): Promise<Task>;
  /**
   * Perturb these pairs for a task, unless that was done before, and send the report. A refusal is a `PckvError`. Who has
   * served in a pilot cannot serve in the main task of its name, nor the other way round (`already_served`).
   */
  submit(id: string, pairs: Pairs, options?: { invitation?: string }): Promise<Receipt>;
  /** The first half of `submit`: the report is made and kept, and nothing is sent before `send`. */
  prepare(id: string, pairs: Pairs, options?: { invitation?: string }): Promise<Receipt>;
  /** The second half. */
  send(id: string): Promise<Receipt>;
  /** Send all reports that wait for this collector; a receipt for each of them. */
  flush(): Promise<Receipt[]>;
  /** The ε that each task has spent, from the moment that its report is kept. */
  ledger(): Promise<Record<string, string>>;
  /** The ε that all tasks have spent together. */
  spent(): Promise<string>;
}
