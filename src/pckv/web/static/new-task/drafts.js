// Drafts on the collector: the one of a form, which is saved while people write, and the list of all.
import { day, t } from "../shared/language.js";
import { alertBox, make, replace } from "../shared/page.js";
import { ask } from "../shared/request.js";
import { keepUnsaved } from "../shared/draft.js";

// What is still being saved or deleted when a form is left: lists wait for it.
let saving = Promise.resolve();

export class DraftKeeper {
  // `told` shows how far saving is; `made` is called with the id of a new draft.
  constructor(id, { told, made }) {
    Object.assign(this, { id, told, made, kept: null, dropped: false });
  }

  // What the draft says already.
  begin(values) {
    this.kept = JSON.stringify(values);
  }

  isChanged(values) {
    return JSON.stringify(values) !== this.kept;
  }

  // One request at a time, so that the last one is what stays. Returns whether it is saved.
  save(name, values) {
    saving = saving.then(() => this.send(name, values));
    return saving;
  }

  async send(name, values) {
    const text = JSON.stringify(values);
    if (this.dropped || text === this.kept) return true;
    const body = { name: name || t("Survey without a name"), values };
    this.told(t("Saving …"));
    try {
      if (this.id) await ask("PUT", `/drafts/${this.id}`, { body });
      else {
        const { id } = await ask("POST", "/drafts", { body });
        this.id = id;
        this.made(id);
      }
      this.kept = text;
      this.told(t("Saved"));
      return true;
    } catch (error) {
      this.told(t("Not saved: {reason}", { reason: error.message }));
      return false;
    }
  }

  // When the form is left: what cannot be saved is kept until its page is opened again.
  async leave(name, values) {
    const address = location.hash;
    if (!(await this.save(name, values))) keepUnsaved(address, values);
  }

  // The survey is published, or nobody wants the draft any more.
  drop() {
    this.dropped = true;
    saving = saving.then(() => this.id && ask("DELETE", `/drafts/${this.id}`).catch(() => {}));
  }
}

// The list of drafts, empty while there are none.
export function draftList() {
  const element = make("div");
  async function show() {
    await saving;
    const { drafts } = await ask("GET", "/drafts").catch(() => ({ drafts: [] }));
    const shown = drafts.map((draft) => draftRow(draft, show));
    if (drafts.length)
      replace(element, make("h2", {}, t("Go on with a draft")), make("ul", { class: "drafts" }, ...shown));
    else replace(element);
  }
  show();
  return element;
}

// A draft is deleted by two presses: the first one asks.
function draftRow({ id, name, changed }, show) {
  const href = `#/new?draft=${encodeURIComponent(id)}`,
    first = make("button", { type: "button", onclick: () => mean(true) }, t("Delete draft")),
    keep = make("button", { type: "button", onclick: () => mean(false) }, t("Keep it")),
    erase = make("button", { type: "button", class: "danger", onclick: remove }, t("Delete for good")),
    said = make("div");
  function mean(isMeant) {
    first.hidden = isMeant;
    keep.hidden = erase.hidden = !isMeant;
    (isMeant ? keep : first).focus();
  }
  async function remove() {
    try {
      await ask("DELETE", `/drafts/${encodeURIComponent(id)}`);
      await show();
    } catch (error) {
      replace(said, alertBox(error.message));
    }
  }
  keep.hidden = erase.hidden = true;
  for (const button of [first, keep, erase]) button.setAttribute("aria-label", `${button.textContent}: ${name}`);
  return make(
    "li",
    {},
    make("span", {}, make("a", { href }, name), make("small", {}, ` ${t("changed on {day}", { day: day(changed) })}`)),
    make("span", { class: "buttons" }, first, keep, erase),
    said,
  );
}
