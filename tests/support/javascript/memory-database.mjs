// The part of IndexedDB that the client uses, in memory: what is committed can be kept and returned to, and every step can be
// the last one of its process.

/** A copy that nobody can change, but for its bytes. */
function kept(value) {
  const frozen = (part) => {
    if (part && Object.getPrototypeOf(part) === Object.prototype) Object.values(Object.freeze(part)).forEach(frozen);
    return part;
  };
  return frozen(structuredClone(value));
}

/** Let what waits for a result go on to its next request; a turn of the event loop would take longer. */
async function settle() {
  for (let turn = 0; turn < 16; turn++) await null;
}

/** A transaction that reads and writes all stores; transactions run one after another. */
class MemoryTransaction {
  #requests = [];
  #aborted = false;
  #ended = false;

  constructor(database, step) {
    Object.assign(this, { database, step });
    database.last = database.last.then(settle).then(() => this.#run());
  }

  objectStore(name) {
    const request = (work) => {
      if (this.#ended) throw new DOMException("the transaction has ended", "TransactionInactiveError");
      const asked = {};
      this.#requests.push([asked, work]);
      return asked;
    };
    const keyOf = (value, key) => key ?? value[this.database.keyPaths.get(name)];
    const rows = () => this.rows.get(name);
    return {
      get: (key) => request(() => rows().get(key)),
      // In the order of keys, as a browser does: the last row is not the latest one.
      getAll: () => request(() => [...rows().keys()].sort().map((key) => rows().get(key))),
      put: (value, key) => request(() => void rows().set(keyOf(value, key), kept(value))),
      delete: (key) => request(() => void rows().delete(key)),
      add: (value, key) =>
        request(() => {
          if (rows().has(keyOf(value, key))) throw new DOMException("there is such a row", "ConstraintError");
          rows().set(keyOf(value, key), kept(value));
        }),
    };
  }

  async #run() {
    this.rows = new Map(Array.from(this.database.rows, ([name, rows]) => [name, new Map(rows)]));
    while (this.#requests.length && !this.#aborted) {
      const [asked, work] = this.#requests.shift();
      if (!(await this.step("store"))) return;
      try {
        asked.result = work();
        asked.onsuccess?.();
      } catch (error) {
        this.#aborted = true;
        asked.error = this.error = error;
        asked.onerror?.();
      }
      await settle();
    }
    this.#ended = true;
    if (!this.#aborted) {
      if (!(await this.step("commit"))) return;
      this.database.rows = this.rows;
      if (!(await this.step("committed"))) return;
    }
    this[this.#aborted ? "onabort" : "oncomplete"]?.();
  }
}

/** A database of one origin. `step` is asked before and after everything: if it answers false, the process has ended. */
export class MemoryDatabase {
  rows = new Map();
  keyPaths = new Map();
  last = Promise.resolve();
  // What transactions were opened with, but for their stores.
  opened = new Set();

  constructor(stepOf) {
    this.stepOf = stepOf;
  }

  /** As of `indexedDB`. */
  open() {
    const opening = {},
      step = this.stepOf();
    const result = {
      objectStoreNames: [],
      close: () => {},
      createObjectStore: (name, { keyPath } = {}) => {
        this.rows.set(name, new Map());
        this.keyPaths.set(name, keyPath);
      },
      transaction: (_, ...given) => {
        this.opened.add(JSON.stringify(given));
        return new MemoryTransaction(this, step);
      },
    };
    step("open").then((alive) => {
      if (!alive) return;
      opening.result = result;
      if (!this.rows.size) opening.onupgradeneeded?.();
      opening.onsuccess?.();
    });
    return opening;
  }
}
