// Groups to compare: one more question with one answer, which stays private as the rest does.
import { ChoiceField, TextField } from "../shared/form-fields.js";
import { t } from "../shared/language.js";
import { count, make } from "../shared/page.js";

const MIN_LABELS = 2,
  MAX_LABELS = 16;

const linesOf = (text) =>
  text
    .split("\n")
    .map((line) => line.trim().normalize())
    .filter(Boolean);

export class SegmentField {
  constructor() {
    this.label = t("Compare groups");
    this.as = new ChoiceField(
      t("Compare groups (a question with one answer, stays private)"),
      [
        ["none", t("No groups")],
        [
          "segment",
          t("By the answer to one more question"),
          t(
            "Such as age or region. The result then also tells what holds within each group, and which answers are chosen more often in one group than in another; average ratings are not compared. All of it becomes less precise, the more groups the less: the forecast says by how much. If you know everybody’s group anyway, such as the building, make a survey for each group instead: that takes fewer people.",
          ),
        ],
      ],
      { onchange: () => this.choose() },
    );
    this.name = new TextField(
      t("The question about groups"),
      make("input", { type: "text", autocomplete: "off", placeholder: t("How old are you?") }),
      {
        hint: t("Participants read it above its answers, and results are named after it."),
        missing: t("ask for the group"),
      },
    );
    this.labels = new TextField(
      t("Its answers, one per line"),
      make("textarea", { rows: 4, placeholder: t("under 30\n30 to 60\nover 60") }),
      {
        hint: t("From 2 to 16, of which everybody gives one. Add “no answer” if people may pass."),
        missing: t("list the answers"),
      },
    );
    this.names = make("div", {}, this.name.element, this.labels.element);
    this.element = make("div", {}, this.as.element, this.names);
    this.choose();
  }

  get isOn() {
    return this.as.value === "segment";
  }

  // The field that is wrong first.
  get problem() {
    if (!this.isOn) return this.as.problem;
    return (this.name.wrong() ? this.name : this.labels).problem;
  }

  get value() {
    return { as: this.as.value, name: this.name.value, labels: this.labels.input.value };
  }

  set value({ as = "none", name = "", labels = "" } = {}) {
    this.name.value = name;
    this.labels.value = labels;
    this.as.value = as;
  }

  choose() {
    this.names.hidden = !this.isOn;
  }

  wrong() {
    return this.isOn ? (this.name.wrong() ?? this.labels.wrong() ?? this.wrongCount()) : null;
  }

  wrongCount() {
    const { length } = linesOf(this.labels.input.value);
    if (length >= MIN_LABELS && length <= MAX_LABELS) return null;
    return t("list 2 to 16 answers, not {number}", { number: count(length) });
  }

  validate() {
    if (!this.isOn) return true;
    const named = this.name.validate(),
      listed = this.labels.validate(),
      wrong = listed ? this.wrongCount() : null;
    if (wrong) this.labels.problem.show(wrong);
    return named && listed && !wrong;
  }

  // As a task has it.
  segment() {
    return this.isOn ? { name: this.name.value, labels: linesOf(this.labels.input.value) } : null;
  }
}

// The field's value for the segment of a task.
export const valueOfSegment = ({ segment }) =>
  segment ? { as: "segment", name: segment.name, labels: segment.labels.join("\n") } : {};
