// Words that are explained where they stand: a button opens a small box below it, or above it where there is more
// room. The explanations come from the collector when the first one is opened; /help/glossary lists all of them.
import { language, t } from "./language.js";
import { announce, make, replace } from "./page.js";
import { ask } from "./request.js";

// The width of a box, and the room that it leaves at the edges of the page.
const WIDTH = 352,
  ROOM = 12,
  GAP = 6;

let loading,
  boxes = 0;

function explanations() {
  loading ??= ask("GET", `/help/glossary.json?lang=${language}`).catch((error) => {
    // The next one asks again.
    loading = undefined;
    throw error;
  });
  return loading;
}

// Returns a word as a button that explains it; `name` is that of the glossary, `shown` what stands there.
export function term(name, shown) {
  const button = make("button", { type: "button", class: "term", "aria-expanded": "false" }, shown);
  let box;
  // Before the button's own work, which is to open and close the box, to close it by Escape, by a click elsewhere and
  // where another opens, and to give the focus back.
  button.addEventListener("click", () => {
    box ??= boxOf(button, shown);
    // What is outside of an open dialog cannot be used. An open box that is moved is closed.
    const around = button.closest("dialog") ?? document.body;
    if (box.parentElement !== around) around.append(box);
    fill(box, name);
  });
  return button;
}

// A text whose first ε explains itself.
export function withEpsilon(text) {
  const [before, ...rest] = text.split("ε");
  return [before, term("epsilon", "ε"), rest.join("ε")];
}

function boxOf(button, shown) {
  const box = make("div", { id: `term-${++boxes}`, class: "explanation", popover: "auto", role: "dialog" });
  box.setAttribute("aria-label", shown);
  button.popoverTargetElement = box;
  button.setAttribute("aria-controls", box.id);
  const follow = () => place(box, button);
  box.addEventListener("beforetoggle", ({ newState }) => {
    const isOpen = newState === "open",
      listen = isOpen ? addEventListener : removeEventListener;
    button.setAttribute("aria-expanded", String(isOpen));
    // Also where something within the page scrolls.
    for (const moved of ["scroll", "resize"]) listen(moved, follow, true);
    if (isOpen) follow();
  });
  // What was left with the keyboard is not in the way.
  box.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget && relatedTarget !== button && !box.contains(relatedTarget)) box.hidePopover();
  });
  return box;
}

// Places a box beside its button, which it never covers.
function place(box, button) {
  const { top, bottom, left } = button.getBoundingClientRect(),
    { clientWidth, clientHeight } = document.documentElement,
    width = Math.min(WIDTH, clientWidth - 2 * ROOM),
    isBelow = clientHeight - bottom >= top,
    height = (isBelow ? clientHeight - bottom : top) - GAP - ROOM;
  Object.assign(box.style, {
    width: `${width}px`,
    maxHeight: `${height}px`,
    left: `${Math.max(ROOM, Math.min(left, clientWidth - ROOM - width))}px`,
    top: isBelow ? `${bottom + GAP}px` : "auto",
    bottom: isBelow ? "auto" : `${clientHeight - top + GAP}px`,
  });
}

async function fill(box, name) {
  const more = make("a", { href: `/help/glossary?lang=${language}#${name}`, target: "_blank" }, t("More"));
  try {
    const { text } = (await explanations())[name];
    replace(box, make("p", {}, text), more);
    announce(text);
  } catch (error) {
    replace(box, make("p", {}, error.message), more);
  }
}
