// Text to copy: a button, or a box with one.
import { t } from "./language.js";
import { announce, field, make } from "./page.js";

const SHOW_SECONDS = 4,
  MAX_ROWS = 10;

// Lines of code stay lines, while those of a letter are as wide as the box. Of a text that is too long for a box, `shown` is
// what stands in it.
export function snippet(label, text, { oncopied, isCode = true, lang = null, shown = text } = {}) {
  const lines = make("textarea", {
    readonly: true,
    rows: Math.min(MAX_ROWS, shown.trim().split("\n").length),
    spellcheck: "false",
    wrap: isCode ? "off" : "soft",
    class: isCode ? "code" : null,
    lang,
  });
  lines.value = shown;
  const copy = copyButton(t("Copy: {what}", { what: label }), text, { shown: t("Copy"), oncopied, box: lines });
  return make("div", { class: "snippet" }, field(label, lines), copy);
}

// Says beside it whether it copied. What could not be copied is selected in its `box`, if it has one.
export function copyButton(name, text, { shown = name, oncopied = () => {}, box = null } = {}) {
  const said = make("span", { class: "copied" });
  let timer;
  function say(words, seconds) {
    said.textContent = words;
    announce(words);
    clearTimeout(timer);
    if (seconds) timer = setTimeout(() => (said.textContent = ""), 1000 * seconds);
  }
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      box?.select();
      return say(t("Not copied: the browser does not let this page copy. Select the text and copy it yourself."));
    }
    say(t("Copied."), SHOW_SECONDS);
    oncopied();
  }
  return make(
    "span",
    { class: "copy" },
    make("button", { type: "button", "aria-label": name, onclick: copy }, shown),
    said,
  );
}
