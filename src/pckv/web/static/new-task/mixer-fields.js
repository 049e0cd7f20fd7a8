// Whether a party outside the organisation mixes the reports, at which address, and under which name.
import { ChoiceField, TextField } from "../shared/form-fields.js";
import { t } from "../shared/language.js";
import { make } from "../shared/page.js";

const YES = "yes",
  NO = "no",
  SCHEME = "https";

export class MixerFields {
  constructor() {
    const mixed = new ChoiceField(t("Can a party outside your organisation run a mixer?"), [
      [NO, t("No"), t("Every response is sent alone, to this collector.")],
      [
        YES,
        t("Yes"),
        t(
          "It holds sealed responses, which it cannot read, and hands them over together, in an order that says nothing. The same privacy towards you then shows answers that are many times as rare, as long as that party follows the protocol and enough responses are honest.",
        ),
      ],
    ]);
    const mixer = new TextField(
      t("Address of the mixer"),
      make("input", { type: "text", inputmode: "url", autocomplete: "off", placeholder: `${SCHEME}://mix.example` }),
      { hint: t("Devices send their sealed responses there."), missing: t("name the address of the mixer") },
    );
    const operator = new TextField(t("Who runs it"), make("input", { type: "text", autocomplete: "off" }), {
      hint: t("Participants read this name; it is the one that the mixer gives itself."),
      missing: t("name the party that runs the mixer"),
    });
    this.fields = { mixed, mixer, mixer_operator: operator };
    this.rest = make(
      "div",
      {},
      make("div", { class: "row" }, mixer.element, operator.element),
      make(
        "p",
        { class: "aside" },
        t(
          "The mixer's side makes and sends the invitations. If you make or forward them, you could fill the batch with responses of your own.",
        ),
      ),
    );
    this.element = make("div", {}, mixed.element, this.rest);
    this.update();
  }

  get isOn() {
    return this.fields.mixed.value === YES;
  }

  update() {
    this.rest.hidden = !this.isOn;
  }

  // As the form of a task has them; the key follows once the rest is right.
  values() {
    const { mixer, mixer_operator: operator } = this.fields;
    return this.isOn ? { mixer: mixer.value, mixer_operator: operator.value } : {};
  }
}

// The values of these fields for another run of a task, and the ε that it wanted.
export const valuesOfMixer = ({ mixer, epsilon }) =>
  mixer
    ? { mixed: YES, mixer: mixer.url, mixer_operator: mixer.operator, epsilon: mixer.epsilon }
    : { mixed: NO, mixer: "", mixer_operator: "", epsilon };
