// Who takes part, how, and until when.
import { line, lines, more, row } from "./ask-fields.js";
import { ChoiceField, numeric, TextField } from "../shared/form-fields.js";
import { dayAfter, dayBefore, t, today } from "../shared/language.js";
import { make } from "../shared/page.js";

const MAX_USERS = 1e15,
  MAX_INVITATIONS = 100_000;

const LAST_HINT = t("Responses are taken until the end of this day (world time, UTC). Leave it empty for no end."),
  MIXED_LAST_HINT = t(
    "Responses are taken until the end of this day (world time, UTC). On the next day they leave the mixer together.",
  ),
  NO_DAY = t("name the last day: on the next one the responses leave the mixer");

const dayField = (label, hint) => new TextField(label, make("input", { type: "date" }), { hint });

export class PeopleFields {
  constructor() {
    this.fields = {
      users: numeric(t("People expected"), {
        max: MAX_USERS,
        hint: t(
          "How many will answer, which is usually fewer than you ask. A guess is enough, better too low than too high: the forecast depends on it.",
        ),
        missing: t("say how many people you expect"),
      }),
      last: dayField(t("Last day"), LAST_HINT),
      access: new ChoiceField(t("How people take part"), [
        ["link", t("By one open link"), t("Everyone who has it can take part, once per browser.")],
        [
          "invitations",
          t("By invitation"),
          t("Every person gets a link of their own, which is good for one response."),
        ],
      ]),
      invitations: numeric(t("Number of invitations"), {
        max: MAX_INVITATIONS,
        hint: t(
          "One link per person you ask, which may be more than will answer. They are shown once, after the survey is published.",
        ),
        missing: t("say how many invitations you need; more can be made later"),
      }),
      contact: line(t("Contact"), t("Whom participants may ask: an address, or a name."), {
        example: "survey@example.org",
      }),
      opens: dayField(t("First day"), t("World time (UTC). Leave it empty to start at once.")),
      eligibility: lines(t("Who may take part"), t("Such as: adults who live in Berlin.")),
      consent: lines(t("Consent"), t("What participants have to agree to before they send anything.")),
    };
    // The number of invitations that was filled in; what the operator types there stays.
    this.proposed = "";
    this.fields.invitations.input.addEventListener("input", () => {
      this.proposed = null;
    });
  }

  build(often) {
    const { users, last, access, invitations, contact, opens, eligibility, consent } = this.fields;
    this.element = make(
      "div",
      {},
      row(users, last),
      access.element,
      invitations.element,
      contact.element,
      more(opens.element, row(eligibility, consent), often),
    );
    return this.element;
  }

  requireEnd(isRequired) {
    const { last } = this.fields;
    last.missing = isRequired ? NO_DAY : null;
    last.input.required = isRequired;
    last.element.querySelector("small").textContent = isRequired ? MIXED_LAST_HINT : LAST_HINT;
    if (!isRequired && last.input.validity.valid) last.problem.show(null);
  }

  // A survey ends on its first day or later, and there are as many invitations as people until the operator names a number.
  update() {
    const { opens, last, access, invitations, users } = this.fields,
      isInvited = access.value === "invitations",
      number = String(Math.min(Number(users.value), MAX_INVITATIONS));
    last.input.min = opens.value > today() ? opens.value : today();
    if (isInvited && users.value && invitations.value === this.proposed) {
      invitations.value = users.wrong() ? "" : number;
      this.proposed = invitations.value;
    }
  }

  // A contract names the first day without responses.
  days() {
    const { opens, last } = this.fields;
    return { opens: opens.value || null, closes: last.value ? dayAfter(last.value) : null };
  }
}

// The first day of a survey or a series, if another one can still begin on it.
export const firstOf = (first) => (first && first >= today() ? first : "");

// The days for another run of a task, and its last day where that is past.
export function daysOf({ opens, closes }) {
  const last = closes && dayBefore(closes),
    past = last && last < today() ? last : null;
  return { values: { opens: firstOf(opens), last: last && !past ? last : "" }, past };
}

// How people take part in another run of a task, from its overview: as many are invited as were in all.
export const valuesOfAccess = ({ by_invitation: invited, invitations }) =>
  invited
    ? { access: "invitations", invitations: invitations.made ? String(invitations.made) : "" }
    : { access: "link" };
