// What the browser keeps between pages: the task that is previewed, and one that its mixer is to accept; and, while the
// page is open, what of a form the collector has not saved. Drafts are on the collector.

const HANDOVER = "pckv-handover",
  PREVIEW = "pckv-preview";

// A browser may refuse to store anything; then nothing is kept, and all else works.
function attempt(work) {
  try {
    return work();
  } catch {
    return null;
  }
}

// Whether it is kept: it may be too large.
const keep = (name, values) =>
  attempt(() => {
    localStorage.setItem(name, JSON.stringify(values));
    return true;
  }) ?? false;

// Of a mixed task between its form and its mixer; the recipient's token is never kept.
export const loadHandover = () => attempt(() => JSON.parse(localStorage.getItem(HANDOVER)));

export const keepHandover = (made) => keep(HANDOVER, made);

export const dropHandover = () => attempt(() => localStorage.removeItem(HANDOVER));

export const keepPreview = (text) => localStorage.setItem(PREVIEW, text);

export const loadPreview = () => attempt(() => localStorage.getItem(PREVIEW));

// Before the id of a task: the answers that were looked for in its responses.
export const CANDIDATES = "pckv-candidates-";

let unsaved = null;

// What a form said when it was left without being saved, by the address of its page.
export function keepUnsaved(address, values) {
  unsaved = { address, values };
}

// It is given back once, at its own address.
export function takeUnsaved(address) {
  const values = unsaved?.address === address ? unsaved.values : null;
  if (values) unsaved = null;
  return values;
}

// The next user of the browser must not find them.
export function dropAll() {
  unsaved = null;
  dropHandover();
  attempt(() => localStorage.removeItem(PREVIEW));
  attempt(() => {
    for (const name of Object.keys(sessionStorage)) if (name.startsWith(CANDIDATES)) sessionStorage.removeItem(name);
  });
}
