// Whether the collector answers the page's regular questions: said while it does not, and when it does again.
import { announce } from "./page.js";

const SHOW_SECONDS = 5;
// No answer at all, or a proxy that gets none.
const LOST = new Set([0, 502, 504]);

let lost = false,
  timer;

function show(text, state) {
  const place = document.getElementById("connection");
  place.textContent = text;
  place.dataset.connection = state;
  place.hidden = text === "";
  announce(text);
}

// Returns whether the connection is what failed: then the page says so, and the view need not.
export function isLost(error) {
  if (!LOST.has(error.status)) return false;
  clearTimeout(timer);
  if (!lost) show("Connection lost; trying again …", "lost");
  lost = true;
  return true;
}

export function found() {
  if (!lost) return;
  lost = false;
  show("Connected again.", "found");
  timer = setTimeout(() => show("", ""), 1000 * SHOW_SECONDS);
}

// A view that asks nothing regularly must not go on saying that it tries again.
export function forget() {
  clearTimeout(timer);
  if (document.getElementById("connection").textContent) show("", "");
  lost = false;
}
