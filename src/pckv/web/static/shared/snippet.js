// Text to copy: a button, or a box with one.
import { announce, field, make } from "./page.js";

export function snippet(label, text) {
  const lines = make("textarea", {
    readonly: true,
    rows: text.trim().split("\n").length,
    spellcheck: "false",
    wrap: "off",
    class: "code",
  });
  lines.value = text;
  return make("div", { class: "snippet" }, field(label, lines), copyButton(`Copy: ${label}`, text, "Copy"));
}

export function copyButton(name, text, shown = name) {
  const button = make("button", { type: "button", "aria-label": name, onclick: copy }, shown);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
      announce("Copied.");
    } catch {
      announce("The browser does not let this page copy: select the text.");
    }
  }
  return button;
}
