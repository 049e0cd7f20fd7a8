// Who takes part, how, and until when.
import { line, lines, more, row } from "./ask-fields.js";
import { ChoiceField, numeric, TextField } from "../shared/form-fields.js";
import { t } from "../shared/language.js";
import { make } from "../shared/page.js";

const MAX_USERS = 1e15,
  MAX_INVITATIONS = 100_000,
  DAY = 86_400_000;

const CLOSES_HINT = t("The first day without responses; leave empty for no end."),
  MIXED_CLOSES_HINT = t("The first day without responses, on which they leave the mixer together."),
  NO_DAY = t("name the day on which the responses leave the mixer");

const dayField = (label, hint, min) => new TextField(label, make("input", { type: "date", min }), { hint });

export class PeopleFields {
  constructor() {
    const tomorrow = new Date(Date.now() + DAY).toISOString().slice(0, 10);
    this.fields = {
      users: numeric(t("People expected"), {
        max: MAX_USERS,
        hint: t("How many people will answer; a guess is enough. The forecast depends on it."),
        missing: t("say how many people you expect"),
      }),
      closes: dayField(t("Closes on"), CLOSES_HINT, tomorrow),
      access: new ChoiceField(t("How people take part"), [
        ["link", t("By one open link"), t("Everyone who has it can take part, once per device.")],
        [
          "invitations",
          t("By invitation"),
          t("Every person gets a link of their own, which is good for one response."),
        ],
      ]),
      invitations: numeric(t("Number of invitations"), {
        max: MAX_INVITATIONS,
        hint: t("One link per person, shown once after the survey is published."),
        missing: t("say how many invitations you need; more can be made later"),
      }),
      contact: line(t("Contact"), t("Whom participants may ask: an address, or a name."), {
        example: "survey@example.org",
      }),
      opens: dayField(t("First day"), t("UTC; leave empty to start at once.")),
      eligibility: lines(t("Who may take part"), t("Such as: adults who live in Berlin.")),
      consent: lines(t("Consent"), t("What participants have to agree to before they send anything.")),
    };
  }

  build(often) {
    const { users, closes, access, invitations, contact, opens, eligibility, consent } = this.fields;
    this.element = make(
      "div",
      {},
      row(users, closes),
      access.element,
      invitations.element,
      contact.element,
      more(opens.element, row(eligibility, consent), often),
    );
    return this.element;
  }

  requireEnd(isRequired) {
    const { closes } = this.fields;
    closes.missing = isRequired ? NO_DAY : null;
    closes.input.required = isRequired;
    closes.element.querySelector("small").textContent = isRequired ? MIXED_CLOSES_HINT : CLOSES_HINT;
    if (!isRequired && closes.input.validity.valid) closes.problem.show(null);
  }
}
