// Requests for what the reports of a task tell. All are of one snapshot of the reports until the next one begins.
import { query } from "../shared/page.js";
import { request } from "../shared/request.js";
import { patiently } from "../shared/connection.js";
import { ROWS_PER_PAGE } from "../shared/table.js";

const OUTDATED = 409;
// How often a snapshot that was given up is begun anew at once.
export const MAX_RENEWALS = 3;

// Whether the collector no longer keeps the reports that a page shows: all of it is to be asked for again.
export const isOutdated = (problem) => problem?.status === OUTDATED;

export class EstimateRequests {
  // `sort` is the order of the first rows, which the first chart and the table show. `renew` shows a new snapshot.
  constructor(path, sort, renew) {
    Object.assign(this, { path, sort, renew });
    // The keys that an analyst named; null for all.
    this.keys = null;
    this.snapshot = undefined;
    this.first = null;
  }

  // `place` is what is asked for: estimates, or a chart of them. `keys` replace those named before.
  send(place, parameters, { keys = this.keys, ...options } = {}) {
    const address = `${this.path}/${place}?${query({ snapshot: this.snapshot, ...parameters })}`;
    const sent = () =>
      keys ? request("POST", address, { ...options, body: { keys } }) : request("GET", address, options);
    return patiently(sent, options.signal);
  }

  // An answer that is downloaded: of the reports that the page shows then, where the collector no longer keeps those
  // that it showed before.
  async file(place, parameters, options) {
    try {
      return await this.send(place, parameters, options);
    } catch (error) {
      if (!isOutdated(error)) throw error;
      await this.renew();
      return this.send(place, parameters, options);
    }
  }

  async ask(place, parameters, options) {
    return (await this.send(place, parameters, options)).json();
  }

  // Takes a new snapshot, of all reports: its first rows.
  async begin(options, signal) {
    const page = { sort: this.sort, search: "", offset: 0, limit: ROWS_PER_PAGE },
      answer = await this.send("estimates", { ...options, ...page, snapshot: undefined }, { signal }),
      content = await answer.json();
    if (signal.aborted) return;
    this.snapshot = answer.headers.get("X-Snapshot");
    this.first = { content, total: Number(answer.headers.get("X-Total-Count")) };
  }

  // A page of the table with the number of all rows: the first one is known already.
  async page({ search, sort, offset, limit }, options, signal) {
    if (!search && !offset && sort === this.sort) return this.first;
    const answer = await this.send("estimates", { ...options, search, sort, offset, limit }, { signal });
    return { content: await answer.json(), total: Number(answer.headers.get("X-Total-Count")) };
  }
}
