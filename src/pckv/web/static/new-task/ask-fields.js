// What is asked: the name and the question of a survey, and what people do.
import { ChoiceField, TextField } from "../shared/form-fields.js";
import { t } from "../shared/language.js";
import { make } from "../shared/page.js";

// Most questions are "which of these?", and shares alone need about half the people: keys have no values by default.
export const CHOOSE = "choose";
export const RATE = "rate";

export const line = (label, hint, { example, missing } = {}) =>
  new TextField(label, make("input", { type: "text", autocomplete: "off", placeholder: example }), {
    hint,
    missing,
  });

export const lines = (label, hint) => new TextField(label, make("textarea", { rows: 3 }), { hint });

export const row = (...fields) => make("div", { class: "row" }, ...fields.map(({ element }) => element));

// What a layperson does not need, within the step that it belongs to.
export const more = (...content) =>
  make("details", { class: "more" }, make("summary", {}, t("More options")), ...content);

export class AskFields {
  constructor() {
    this.fields = {
      asks: new ChoiceField(t("What people do"), [
        [
          CHOOSE,
          t("People choose"),
          t("They tick what applies to them. The result says how many people that is, for each."),
        ],
        [
          RATE,
          t("People choose and rate"),
          t(
            "They also rate what they chose, such as with stars or minutes. The result has average ratings, too; shares of the same precision usually take about twice as many people.",
          ),
        ],
      ]),
      name: line(
        t("Name"),
        t("It stands in your list of surveys and above reports. Every survey needs a name of its own."),
        {
          missing: t("give the survey a name"),
        },
      ),
      question: line(t("Question"), t("What participants read first. Without a question they read the name.")),
      description: lines(t("Description"), t("Who asks, and what for.")),
    };
    const { asks, name, question, description } = this.fields;
    this.element = make("div", {}, question.element, name.element, description.element, asks.element);
  }

  // Examples stand in the fields while these are empty.
  show({ example = "", name = "" }) {
    const { fields } = this;
    fields.question.input.placeholder = example;
    fields.name.input.placeholder = name;
  }
}
