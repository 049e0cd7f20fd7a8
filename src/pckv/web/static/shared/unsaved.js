// Links that are shown once: a warning before a page is left while they were not saved.
import { t } from "./language.js";
import { askingDialog } from "./page.js";

let held = false;

function warn(event) {
  event.preventDefault();
}

export const isHeld = () => held;

export function hold() {
  held = true;
  addEventListener("beforeunload", warn);
}

export function release() {
  held = false;
  removeEventListener("beforeunload", warn);
}

// Goes on by `leave`, at once or after the question; `stay` is called before it is asked.
export function leaving(leave, stay = () => {}) {
  if (!held) return leave();
  stay();
  const dialog = askingDialog({
    label: t("Leave without the links"),
    kind: "danger",
    cancel: t("Stay here"),
    title: t("Leave without saving the links?"),
    text: t(
      "The invitation links are shown only once. If you leave this page before you save or print them, they cannot be shown again.",
    ),
    work: () => {
      release();
      leave();
    },
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
