// What all pages share: elements, dialogs, numbers. Text is never parsed as HTML.
import { allDigits, language, t } from "./language.js";

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else if (value !== undefined && value !== null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function replace(element, ...children) {
  element.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
}

// Tells screen readers what changed.
export function announce(text) {
  document.getElementById("status").textContent = text;
}

// A clause of the server as a sentence of its own. The letters of formulas, such as ε, stay small.
export const capitalised = (text) => text.replace(/^[a-zäöü]/, (letter) => letter.toUpperCase());

export const query = (values) =>
  new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "" && value !== undefined)).toString();

// Numbers are formatted with hyphens; the sign of a number is a minus.
export const signed = (text) => text.replace("-", "−");

export const count = (number) => signed(number.toLocaleString(language));

// A number with its noun; catalogs have "{number} response" and "{number} responses".
export const plural = (number, noun) => t(`{number} ${noun}${number === 1 ? "" : "s"}`, { number: count(number) });

// Three significant digits, with an exponent only for very large and very small numbers.
export function short(number) {
  if (number === 0) return "0";
  const size = Math.abs(number);
  if (size >= 1e6 || size < 1e-5) return allDigits(number.toExponential(1));
  return Number(number.toPrecision(3)).toLocaleString(language, { maximumFractionDigits: 8 });
}

export const percent = (share) => `${short(100 * share)} %`;

// Differences of shares.
export function points(share) {
  const shown = short(100 * share);
  return `${shown}${shown === "1" ? t(" point") : t(" points")}`;
}

// Calls later, once for many calls in short succession.
export function debounced(work, milliseconds = 250) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...values), milliseconds);
  };
}

// Gives each call a signal, which the next call or `stop` aborts: only the newest may change the page.
export function newestOnly(work) {
  let controller;
  const call = (...values) => {
    controller?.abort();
    controller = new AbortController();
    return work(controller.signal, ...values);
  };
  call.stop = () => controller?.abort();
  return call;
}

let fields = 0;

export function field(label, input, hint) {
  input.id ||= `field-${++fields}`;
  const described = hint ? make("small", { id: `${input.id}-hint` }, hint) : null;
  if (described) input.setAttribute("aria-describedby", described.id);
  return make("div", { class: "field" }, make("label", { for: input.id }, label), input, described);
}

export function choice(options, chosen, onchange) {
  const select = make("select", { onchange: () => onchange(select.value) });
  for (const [value, label] of options) select.append(make("option", { value, selected: value === chosen }, label));
  return select;
}

// A name for a file, made from that of a survey: systems take no other characters in names, and no longer ones.
export const fileNameOf = (name, ending) =>
  `${name
    .replace(/[\\/:*?"<>|\p{Cc}]+/gu, "-")
    .slice(0, 80)
    .trim()}${ending}`;

export function save(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// A button that first asks whether the work is meant; a refusal is shown where it was asked. The first button of the
// dialog is "Cancel" and has the focus, so that two deliberate steps are needed. `question` may hold further elements.
export function confirmButton({ label, kind = "", title, text, question = [], work }) {
  const dialog = askingDialog({ label, kind, title, text, question, work });
  return make(
    "div",
    {},
    make("button", { type: "button", class: kind, onclick: () => dialog.showModal() }, `${label} …`),
    dialog,
  );
}

export function askingDialog({ label, kind, title, text, question = [], cancel = t("Cancel"), work }) {
  const trouble = make("div"),
    does = make("button", { type: "button", class: kind === "danger" ? "danger" : "main", onclick: confirm }, label);
  const dialog = make(
    "dialog",
    { "aria-label": title, onclose: () => replace(trouble) },
    make("h2", {}, title),
    make("p", {}, text),
    ...question,
    trouble,
    make(
      "div",
      { class: "buttons" },
      make("button", { type: "button", autofocus: true, onclick: () => dialog.close() }, cancel),
      does,
    ),
  );
  async function confirm() {
    does.disabled = true;
    try {
      await work();
      dialog.close();
    } catch (error) {
      replace(trouble, alertBox(error.message));
    } finally {
      does.disabled = false;
    }
  }
  return dialog;
}

// Without the role of an alert: it is drawn anew whenever something changes.
export function warningBox(sentences) {
  return make("div", { class: "alert" }, ...sentences.map((sentence) => make("p", {}, sentence)));
}

export function alertBox(text) {
  return make("p", { class: "alert", role: "alert" }, text);
}
