// The database of an origin: one transaction at a time among all of its tabs.

// Rows of these stores have keys that are given.
const KEYED_STORES = ["tasks", "settings", "series"];
// Rows of these have the id of their task as key.
const TASK_STORES = ["reports", "spent"];

// The result of some work, which calls `on(store, verb, ...parameters)` for what it reads and writes: all of
// that is on the disk when this returns, or none. The work may not wait for anything else: the transaction
// would end.
export async function inTransaction(name, work) {
  const database = await open(name);
  try {
    const stores = database.objectStoreNames;
    const transaction = database.transaction(stores, "readwrite", { durability: "strict" });
    const on = (store, verb, ...parameters) => resultOf(transaction.objectStore(store)[verb](...parameters));
    const completed = settled(transaction, "oncomplete", "onabort");
    const [result] = await Promise.all([work(on), completed]);
    return result;
  } finally {
    database.close();
  }
}

function open(name) {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => {
    for (const store of KEYED_STORES) opening.result.createObjectStore(store);
    for (const store of TASK_STORES) opening.result.createObjectStore(store, { keyPath: "task" });
  };
  return resultOf(opening);
}

function resultOf(request) {
  return settled(request, "onsuccess", "onerror");
}

function settled(target, success, failure) {
  return new Promise((resolve, reject) => {
    target[success] = () => resolve(target.result);
    target[failure] = () => reject(target.error);
  });
}
