// Whether a task or a series takes reports, and what it is for, as a word; and lists that change while somebody reads them.
import { make } from "./page.js";

export const PHASES = { waiting: "not yet open", open: "open", closed: "closed" };

export const badge = ({ phase }) => make("span", { class: `badge ${phase}` }, PHASES[phase]);

// What a task is for, unless it measures keys that are known.
export const kindNote = ({ kind }) => (kind === "discovery" ? make("small", {}, " discovery") : null);

// Changes the rows of a list, and leaves the focus at the link that had it.
export function keepFocus(rows, change) {
  const focused = rows.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  change();
  if (focused) rows.querySelector(`[href="${CSS.escape(focused)}"]`)?.focus();
}
