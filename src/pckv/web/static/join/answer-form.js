// The answers, the consent, and a footer that stays in sight. A report cannot be taken back: only the button
// sends it, and not Enter in a field.
import { alertBox, make, replace } from "../shared/page.js";
import { say } from "./join-strings.js";
import { PairsForm } from "./pairs-form.js";
import { written } from "./texts.js";

export class AnswerForm {
  // `submit` is called with this form once nothing is missing.
  constructor(task, ofSegment, submit) {
    this.task = task;
    this.form = new PairsForm(task);
    this.segment = ofSegment && new ofSegment.SegmentField(task);
    this.form.onchange = () => this.changed();
    this.said = make("div");
    this.chosen = make("p", { id: "chosen", role: "status" });
    this.button = make(
      "button",
      { type: "button", class: "main", "aria-describedby": "chosen", onclick: () => this.check(submit) },
      say("send"),
    );
    const asked = [this.form.element, this.segment?.element, this.consent()];
    this.fields = make("div", {}, make("h2", {}, say("answers")), ...asked);
    const send = make("div", { class: "send" }, this.chosen, this.button);
    this.footer = make("div", { class: "footer" }, this.said, send);
    this.element = make(
      "form",
      {
        class: "card",
        onsubmit: (event) => event.preventDefault(),
        oninput: () => this.changed(),
        novalidate: true,
      },
      this.fields,
      this.footer,
    );
    // What has the focus is not below the footer, which grows with what it says.
    const { style } = document.documentElement;
    new ResizeObserver(() => {
      style.scrollPaddingBottom = `${this.footer.offsetHeight + 16}px`;
    }).observe(this.footer);
    this.changed();
  }

  consent() {
    if (!this.task.about.consent) return null;
    this.agreed = make("input", { type: "checkbox", required: true });
    return make(
      "div",
      { id: "consent" },
      make("h3", {}, say("consent")),
      written("p", this.task, "consent", { class: "lines" }),
      make("label", { class: "agree" }, this.agreed, say("agree")),
    );
  }

  // The answers of the same form in another language.
  take({ form, segment, agreed }) {
    this.form.take(form);
    this.segment?.take(segment);
    if (agreed) this.agreed.checked = agreed.checked;
    this.changed();
  }

  // What was said may not be true any more.
  changed() {
    replace(this.said);
    this.chosen.textContent = this.form.countText();
    this.button.disabled = !this.form.isAnswered;
  }

  // What is to be done before a report can be made, and how to get there.
  complaint() {
    const missing = this.form.missing();
    if (missing !== undefined) return [this.form.missingText(missing), () => this.form.focus(missing)];
    const { own } = this.form;
    if (own?.unfinished) return [say("own_unfinished", { key: own.unfinished }), () => own.input.focus()];
    const unanswered = this.segment?.complaint();
    if (unanswered) return unanswered;
    return this.agreed && !this.agreed.checked ? [say("agree_first"), () => this.agreed.focus()] : [];
  }

  check(submit) {
    const [complaint, correct] = this.complaint();
    if (!complaint) return submit(this);
    correct();
    this.tell(complaint);
  }

  // Where it is seen, in the footer, which then leaves what it is about in sight.
  tell(problem) {
    replace(this.said, alertBox(problem));
    const place = document.activeElement.closest("li, .own > .row, fieldset, .agree");
    document.documentElement.style.scrollPaddingBottom = `${this.footer.offsetHeight + 16}px`;
    place?.scrollIntoView({ block: "nearest" });
  }
}
