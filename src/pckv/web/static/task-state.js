// Whether a task or a series takes reports, as a word; and lists that change while somebody reads them.
import { make } from "./page.js";

export const PHASES = { waiting: "not yet open", open: "open", closed: "closed" };

export const badge = ({ phase }) => make("span", { class: `badge ${phase}` }, PHASES[phase]);

// Changes the rows of a list, and leaves the focus at the link that had it.
export function keepFocus(rows, change) {
  const focused = rows.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  change();
  if (focused) rows.querySelector(`[href="${CSS.escape(focused)}"]`)?.focus();
}
