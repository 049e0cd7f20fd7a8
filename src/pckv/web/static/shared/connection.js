// Regular questions to the collector, and whether it answers: said while it does not, and when it does again.
import { t } from "./language.js";
import { alertBox, announce, newestOnly, replace } from "./page.js";

const POLL_SECONDS = 3,
  CHART_SECONDS = 10,
  SHOW_SECONDS = 5;
// No answer at all, or a proxy that gets none.
const LOST = new Set([0, 502, 504]);
// Other computations of the same page or person run.
const BUSY = new Set([429, 503]),
  AGAIN_MILLISECONDS = 1500,
  MAX_TRIES = 20;

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
  if (!lost) show(t("Connection lost; trying again …"), "lost");
  lost = true;
  return true;
}

function found() {
  if (!lost) return;
  lost = false;
  show(t("Connected again."), "found");
  timer = setTimeout(() => show("", ""), 1000 * SHOW_SECONDS);
}

// A view that asks nothing regularly must not go on saying that it tries again.
export function forget() {
  clearTimeout(timer);
  if (document.getElementById("connection").textContent) show("", "");
  lost = false;
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// What a request resolves to. While the collector has too much to compute, it is asked again, without an error on the page
// until that has lasted.
export async function patiently(send, signal) {
  for (let tries = 1; ; tries++) {
    try {
      return await send();
    } catch (error) {
      if (signal?.aborted || !BUSY.has(error.status) || tries === MAX_TRIES) throw error;
      await pause(AGAIN_MILLISECONDS);
      if (signal?.aborted) throw error;
    }
  }
}

// Returns a function that asks at once, and from then on regularly: `ask` gets a signal, and its answer is
// given to `use`. What goes wrong is told in `said`; where that is final, `isOver` returns true.
export function polled({ ask, use, said, isOver = () => false }) {
  let next;
  const refresh = newestOnly(async (signal) => {
    clearTimeout(next);
    try {
      const answer = await ask(signal);
      found();
      await use(answer);
      replace(said);
    } catch (error) {
      if (signal.aborted) return;
      replace(said, isLost(error) ? null : alertBox(error.message));
      if (isOver(error)) return;
    }
    next = setTimeout(refresh, 1000 * POLL_SECONDS);
  });
  const abort = refresh.stop;
  refresh.stop = () => {
    clearTimeout(next);
    abort();
  };
  return refresh;
}

// When results are asked for again: once there are other reports, and less often if they take long.
export class Pace {
  reports = -1;
  next = 0;
  began = 0;

  isDue(reports) {
    return this.reports !== reports && Date.now() > this.next && !document.hidden;
  }

  begin(reports) {
    Object.assign(this, { reports, next: Infinity, began: Date.now() });
  }

  // What failed is tried again even if no report comes, and so is what counts fewer than there were: the collector had
  // that answer ready before the others came.
  end(complete) {
    const { began } = this;
    if (!complete) this.reports = -1;
    this.next = Date.now() + Math.max(1000 * CHART_SECONDS, 5 * (Date.now() - began));
  }
}
