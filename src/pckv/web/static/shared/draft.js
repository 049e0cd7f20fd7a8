// What the browser keeps between pages: the draft of a task, the task that is previewed, and one that its mixer is to
// accept.

const DRAFT = "pckv-draft",
  HANDOVER = "pckv-handover",
  PREVIEW = "pckv-preview";

// A browser may refuse to store anything; then nothing is kept, and all else works.
function attempt(work) {
  try {
    return work();
  } catch {
    return null;
  }
}

export const loadDraft = () => attempt(() => ({ ...JSON.parse(localStorage.getItem(DRAFT)) }));

// Whether it is kept: it may be too large.
const keep = (name, values) =>
  attempt(() => {
    localStorage.setItem(name, JSON.stringify(values));
    return true;
  }) ?? false;

export const keepDraft = (values) => keep(DRAFT, values);

export const dropDraft = () => attempt(() => localStorage.removeItem(DRAFT));

// Of a mixed task between its form and its mixer; the recipient's token is never kept.
export const loadHandover = () => attempt(() => JSON.parse(localStorage.getItem(HANDOVER)));

export const keepHandover = (made) => keep(HANDOVER, made);

export const dropHandover = () => attempt(() => localStorage.removeItem(HANDOVER));

export const keepPreview = (text) => localStorage.setItem(PREVIEW, text);

export const loadPreview = () => attempt(() => localStorage.getItem(PREVIEW));

// The next user of the browser must not find them.
export function dropAll() {
  dropDraft();
  dropHandover();
  attempt(() => localStorage.removeItem(PREVIEW));
}
