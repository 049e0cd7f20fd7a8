// What the browser keeps between pages: the draft of a task, and the task that is previewed.

const DRAFT = "pckv-draft",
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
export const keepDraft = (values) =>
  attempt(() => {
    localStorage.setItem(DRAFT, JSON.stringify(values));
    return true;
  }) ?? false;

export const dropDraft = () => attempt(() => localStorage.removeItem(DRAFT));

export const keepPreview = (text) => localStorage.setItem(PREVIEW, text);

export const loadPreview = () => attempt(() => localStorage.getItem(PREVIEW));

// The next user of the browser must not find them.
export function dropAll() {
  dropDraft();
  attempt(() => localStorage.removeItem(PREVIEW));
}
