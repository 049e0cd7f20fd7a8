/** Any refusal: one clear line for people, and a stable code for programs. */
export declare class PckvError extends Error {
  /**
   * `bad_task`, `bad_pairs`, `bad_parameter`, `no_crypto`, or from the client: `wrong_task`, `answered`, `over_budget`,
   * `not_sent`, `refused`, and `bad_data` if what is stored contradicts itself. Of mixed tasks: `not_accepted` (by the mixer),
   * `cannot_seal` (this browser has no X25519; nothing was perturbed). If the collector would take no report, what
   * it says: `closed`, `not_open`, `unknown`, `deleted`, `invitation_unknown` (also where one is missing), `invitation_spent`.
   * `series`: the task is a round of a series, which only a `SeriesClient` reports to. See also `series.d.ts`.
   */
  readonly code: string;
}

/** One participant's pairs; only a Map keeps the order of numbered keys. */
export type Pairs = Record<string, number> | Map<string, number>;

/** One participant's keys, where these have no values (`task.low` is null). A key that comes twice counts once. */
export type Keys = Iterable<string>;

/** One participant's texts, in place of pairs, for a discovery. Those that cannot be found are left out. */
export type Texts = Iterable<string>;

/** Which unknown texts a discovery finds. */
export interface PrefixTree {
  /** The characters that texts consist of; texts with any other are not found. Capital letters that it lacks count as small ones that it has. */
  readonly alphabet: string;
  /** How many characters of a text are found at most. Longer texts are cut. */
  readonly characters: number;
  /** How many groups of devices there are, each of which reports prefixes of its own length. */
  readonly groups: number;
}

/** What leaves the device: an id of 16 bytes, random or the coin, and the perturbed body. */
export interface Report {
  readonly id: Uint8Array;
  readonly body: Uint8Array;
}

/** The chance that a report about the pairs claims a key for its sender, at any level. */
export interface Odds {
  /** If they hold it, whichever pair was sampled. */
  readonly held: number;
  /** If they do not. */
  readonly absent: number;
}

/** How many pairs somebody holds: some reports answer this instead of reporting pairs. */
export interface SizeQuestion {
  /** The probability that a report answers it, whatever the pairs are. */
  readonly share: number;
  /** The answers, like "at most 3" (the padding, or fewer), "about 4", "about 12". */
  readonly answers: readonly string[];
  /** The probability that an answer is the right one, and that it is any one of the others. */
  readonly right: number;
  readonly wrong: number;
}

/** What is collected, at which ε and how: immutable, and bound by its id. */
export declare class Task {
  private constructor();
  /** Read a task; anything but its one canonical text is refused. */
  static fromJson(text: string): Promise<Task>;
  readonly id: string;
  readonly text: string;
  readonly name: string;
  /** What people report: `pairs`, or texts that nobody knows yet (`discovery`). */
  readonly kind: "pairs" | "discovery";
  /**
   * The names of the keys, or their number if they are named "0", "1" and so on. `hashed`: any text is a key that has no
   * control characters, and from 1 to 256 bytes in UTF-8 in normal form C, which texts are brought into. Its number is a hash.
   * Other texts are left out of a report.
   */
  readonly keys: readonly string[] | number | "hashed" | PrefixTree;
  /**
   * The name of one more key, which stands for all that are not listed; null if only listed keys are taken. If somebody
   * holds several such keys, the value of one of them is reported, chosen at random.
   */
  readonly other: string | null;
  /** A question with one answer that is asked besides the keys, such as an age group; null if there is none. */
  readonly segment: { readonly name: string; readonly labels: readonly string[] } | null;
  /** Whether it is also asked which keys people hold together. */
  readonly together: boolean;
  /** How many keys there are: with `other`, or of all hashes. */
  readonly keyCount: number;
  /** The least and the largest value; null if keys have no values: then pass a list of keys in place of pairs. */
  readonly low: number | null;
  readonly high: number | null;
  /**
   * How many equally spaced levels values are reported as, or the value of each as a decimal: from 2 to 16 of them. Keys
   * without values have one.
   */
  readonly levels: number | readonly string[];
  /** What each level is worth, ascending from `low` to `high`; what a key without a value counts for, 1. */
  readonly levelValues: readonly number[];
  /**
   * What happens to a value between two levels. `round`: it becomes one of them at random, so that means are right on average.
   * `refuse`: `perturb` and `submit` throw `bad_pairs` before anything is perturbed; offer people the levels alone. Null if
   * keys have no values.
   */
  readonly between: "round" | "refuse" | null;
  /** The ε that was asked for. */
  readonly epsilon: string;
  /** The ε that the integers give, rounded up; never above the one asked for. */
  readonly realisedEpsilon: number;
  /** How many pairs a report stands for at most. */
  readonly padding: number;
  /**
   * What happens to somebody with more pairs than the padding. `sample`: a random choice of them is reported. `refuse`:
   * `perturb` and `submit` throw `bad_pairs` before anything is perturbed. Stop people where they enter
   * their pairs: staying away must not depend on the data, since no ε covers that.
   */
  readonly more: "sample" | "refuse";
  /** Tasks whose reports are all about pairs have none. */
  readonly sizeQuestion?: SizeQuestion;
  /**
   * Who draws the public function of a report, and whether it answers the size question: the `device`, or the `server`,
   * which gives every invitation a coin. ε holds for every function.
   */
  readonly coin: "device" | "server";
  /** What participants read; a text that is empty is not shown. */
  readonly about: About;
  /** The second party that holds the sealed reports; null if reports go to the collector. */
  readonly mixer: Mixer | null;
  /** The mechanism's name, which is also the name of its file in `mechanisms/`. */
  readonly mechanism: string;
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly opens: string | null;
  readonly closes: string | null;
  /** The round of a series that the task is; null if it stands alone. */
  readonly series: { readonly id: string; readonly panels: number; readonly round: number } | null;
  readonly odds: Odds;
  /**
   * Whether the task takes reports on a day (YYYY-MM-DD, UTC; today if left out): from `opens` on and before `closes`.
   * The collector may also have closed it early.
   */
  phase(day?: string): "waiting" | "open" | "closed";
  /**
   * What a participant is shown who prefers these languages, the best first, such as `navigator.languages`. Of each the
   * nearest counts that there is: the same tag, or a shorter one, or any of the same language; otherwise the task's own.
   */
  inLanguage(languages: readonly string[]): Promise<ShownTexts>;
  /** What a body answers to the size question, one of its `answers`; undefined if it is about the pairs. */
  answer(body: Uint8Array): string | undefined;
  /**
   * The levels at which a body claims that its sender holds a key: places in `levelValues`, ascending. There are none if
   * it claims nothing of the key, or answers the size question; some mechanisms may claim several. Keys without values
   * have level 0 alone. For a discovery: level 0 if it claims the prefix that it is about.
   */
  says(body: Uint8Array, key: string): number[];
  /** Whether a body about pairs claims a label of the task's segment, by itself or with a key within it. */
  saysLabel(body: Uint8Array, label: string): boolean;
  /** How many of the first characters of texts a body is about. Only discoveries have this. */
  prefixLength?(body: Uint8Array): number;
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

/** Fetch a task from a collector and check it against its id; refused (`unknown`, `deleted`, `not_sent`) if there is none. */
export declare function fetchTask(url: string, id: string, retryPolicy?: RetryPolicy): Promise<Task>;

/** Texts for participants. `description`, `eligibility` and `consent` may have several lines. */
export interface AboutTexts {
  readonly question: string;
  readonly description: string;
  readonly unit: string;
  readonly low_label: string;
  /** What the middle of the values means, or the middle one of an odd number of levels. */
  readonly middle_label: string;
  readonly high_label: string;
  readonly eligibility: string;
  readonly consent: string;
  readonly contact: string;
}

/** The texts in another language; where one is empty, the task's own is shown. */
export interface Translation extends AboutTexts {
  /** The name of the task; empty for its own. */
  readonly name: string;
  /** The names of the keys in the order of the task, with that of `other` at the end; none for those of the task. */
  readonly keys: readonly string[];
  /** The name of the segment; empty for that of the task. */
  readonly segment_name: string;
  /** The labels of the segment in the order of the task; none for those of the task. */
  readonly segment_labels: readonly string[];
}

/** What a participant is shown: the texts in one language, with the task's own where a translation has none. */
export interface ShownTexts extends Translation {
  readonly language: string;
}

/** What participants read about a task. */
export interface About extends AboutTexts {
  /** The language of the texts, and of the names of the task and its keys: a tag such as `en`, `de-CH` or `zh-Hant`. */
  readonly language: string;
  /** The same in up to 16 other languages, by their tags. */
  readonly translations: Readonly<Record<string, Translation>>;
}

/**
 * A second party that holds sealed reports, and hands them over together in a random order. A recipient who sees only that
 * batch has the central ε and δ, if the mixer follows the protocol and at least `honest` reports are honest; a party that
 * sees a report otherwise has the ε of a report.
 */
export interface Mixer {
  /** Its origin. */
  readonly url: string;
  /** The name of the party that runs it. */
  readonly operator: string;
  /** The X25519 public key that reports are sealed for, in base64url. */
  readonly key: string;
  /** Fewer reports than this never leave the mixer. */
  readonly batch: number;
  readonly honest: number;
  /** The central ε and δ, decimals. */
  readonly epsilon: string;
  readonly delta: string;
}

/** What a coin decides of a report. */
export interface Coin {
  readonly task: string;
  readonly id: Uint8Array;
  readonly asked?: boolean;
  readonly drawn: bigint;
}

/** Read a coin of 16 bytes for a task whose `coin` is `server`. */
export declare function coinOf(task: Task, coin: Uint8Array): Promise<Coin>;

/**
 * One participant's report, from the browser's randomness. Every call spends the task's ε: keep the report, and send
 * the same bytes again on a retry. `Client` does that. A task that is not open by its days is refused (`not_sent`). A task whose `coin` is
 * `server` needs a coin, which its collector must have given, or it refuses the report. One with a `segment` needs the participant's label.
 */
export declare function perturb(task: Task, pairs: Pairs | Keys | Texts, options?: { coin?: Coin; segment?: string }): Report;

/** A report that was sent: that of a mixed task has no id, and left this device sealed. */
export interface SentReport {
  readonly id?: Uint8Array;
  /** What the report says; of a mixed task, what was sealed, which only the recipient can open. */
  readonly body: Uint8Array;
  /** The bytes that the mixer got. */
  readonly sealed?: Uint8Array;
}

/** The state of a task's report, and the ε that it spent. */
export interface Receipt {
  readonly task: string;
  /** The id of the series that the task is a round of; undefined if it stands alone. */
  readonly series?: string;
  /** `waiting`: `flush` sends it later. */
  readonly status: "waiting" | "sent" | "refused";
  /** The realised ε of the report itself, a decimal; the ledger says what a mixed one spends towards its recipient. */
  readonly epsilon: string;
  /** Whether this call perturbed: if not, it ignored the pairs it was given. */
  readonly perturbed: boolean;
  /** Why a report waits or was refused. */
  readonly reason: string;
  /** Once it was sent. Before that nobody sees it: whether it is sent must not depend on it, since no ε covers that. */
  readonly report?: SentReport;
}

/** What one report has spent. */
export interface LedgerEntry {
  /**
   * The name of its task, or of its series. A survey is answered once, or once per window of rounds of a series, whatever
   * the case and the spaces of its name.
   */
  readonly survey: string;
  readonly task: string;
  /** The realised ε of the report itself, a decimal, which holds whatever fails. */
  readonly epsilon: string;
  /**
   * Of a mixed task: what counts towards its recipient instead, decimals, if the mixer follows the protocol and enough of
   * the other reports are honest.
   */
  readonly claim?: { readonly epsilon: string; readonly delta: string };
  /** The state of the report; one that was `removed` from the browser's storage has spent its ε all the same. */
  readonly status: "waiting" | "sent" | "refused" | "removed";
  /** The day on which it was spent, YYYY-MM-DD in UTC; never before the day of an earlier report, whatever the clock showed. */
  readonly day: string;
  /** The id of the series and the number of the round; undefined for a task that stands alone. */
  readonly series?: string;
  readonly round?: number;
  /** The entry as a sentence. */
  readonly text: string;
}

/** The most ε of all surveys together towards recipients in any number of days in a row. */
export interface PeriodCap {
  readonly epsilon: string | number;
  readonly days: number;
}

export interface ClientOptions {
  /** The name of the database; all clients of an origin with the same one share the reports, the ledger and the caps. */
  state?: string;
  /** The most ε of all surveys together towards recipients; it is remembered. If none was ever given, it is 10. */
  cap?: string | number;
  /** The most ε in a number of days, such as `{ epsilon: 3, days: 365 }`; it is remembered. If nobody ever gave one, there is none. */
  capPerPeriod?: PeriodCap;
  /** The most ε of all reports together, each with its own, which holds whatever fails; it is remembered. Otherwise 40. */
  localCap?: string | number;
  retryPolicy?: RetryPolicy;
  /** Returns the time; for tests. */
  clock?: () => Date;
}

/**
 * One browser's client of a collector: at most one report per survey, whatever happens in between. All tabs of an origin
 * with the same `state` share the reports, the ledger and the caps. A cap that is given is remembered, and holds for later
 * clients that give none. A clock that is set back frees nothing.
 */
export declare class Client {
  constructor(url: string, options?: ClientOptions);
  readonly url: string;
  /** The task with an id: fetched once (unless its JSON is given as `text`), checked against the id, then stored. */
  task(id: string, text?: string): Promise<Task>;
  /**
   * Perturb these pairs for a task, unless that was done before, and send the report. A refusal is a `PckvError`.
   * The report of a mixed task is sealed once, and goes to its mixer, which is asked in the collector's place.
   * Refused before anything is perturbed: more pairs than a task takes (`bad_pairs`), what `check` refuses. `segment` is
   * the participant's label, where the task has a segment; like the pairs, it is never stored. The first
   * time, the browser is asked not to forget what is stored (`navigator.storage.persist()`).
   */
  submit(id: string, pairs: Pairs | Keys | Texts, options?: { invitation?: string; segment?: string }): Promise<Receipt>;
  /**
   * Throw what `submit` would throw before it perturbs: call it before people fill in a form. Refused are another task of
   * a survey that was answered (`answered`), an ε beyond a cap (`over_budget`), a task that is not open by its
   * days (`not_sent`), a round of a series (`series`), and what the collector, which is asked, would refuse (see `PckvError.code`). If the collector cannot
   * be reached, a task whose `coin` is `server` is refused (`not_sent`).
   */
  check(id: string, options?: { invitation?: string }): Promise<void>;
  /** The state of a task's report; undefined if there is none. */
  receipt(id: string): Promise<Receipt | undefined>;
  /**
   * Send a report that was made before, to this collector and with this invitation. A report that was made with a coin
   * keeps its own invitation.
   */
  send(id: string, options?: { invitation?: string }): Promise<Receipt>;
  /** Send all reports that wait for this collector, and all sealed ones to their mixers; return their receipts. */
  flush(): Promise<Receipt[]>;
  /** What each report has spent, from the moment that it is stored, in the order of days. */
  ledger(): Promise<LedgerEntry[]>;
  /** One sentence about what is spent towards recipients, and one about what is spent whatever fails. */
  ledgerSummary(): Promise<[string, string]>;
  /** The ε that all surveys together have spent towards recipients: of mixed ones, what their tasks claim. */
  spent(): Promise<string>;
  /** The δ that mixed surveys together have spent towards recipients; at most 0.00001. */
  spentDelta(): Promise<string>;
  /** The ε of all reports together, each with its own: what is spent whatever fails. */
  localSpent(): Promise<string>;
  /** The ε that all surveys together may spend towards recipients. */
  cap(): Promise<string>;
  /** The ε that all reports together may have. */
  localCap(): Promise<string>;
  /** The ε that all surveys together may spend in a number of days; undefined if only the total is capped. */
  capPerPeriod(): Promise<PeriodCap | undefined>;
}
