// Requests for estimates: of all keys of a task, or of those that somebody named.
import { query, request } from "../shared/page.js";

export class EstimateRequests {
  constructor(path) {
    this.path = path;
    // Null for all keys.
    this.keys = null;
  }

  // `place` is what is asked for: estimates, or a chart of them. `keys` are asked for in place of those named before.
  send(place, parameters, { keys = this.keys, ...options } = {}) {
    const address = `${this.path}/${place}?${query(parameters)}`;
    return keys ? request("POST", address, { ...options, body: { keys } }) : request("GET", address, options);
  }

  async ask(place, parameters, options) {
    return (await this.send(place, parameters, options)).json();
  }
}
