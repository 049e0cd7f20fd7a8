// How many of the keys one person holds: all that apply, up to a number, or one; and how many people hold any. What
// may be more than a report stands for is measured; a limit is a contract, which holds where pairs are entered.
import { ChoiceField, numeric } from "../shared/form-fields.js";
import { t } from "../shared/language.js";
import { make } from "../shared/page.js";

const ALL = "all",
  LIMITED = "limited",
  ONE = "one";

export class HeldFields {
  constructor() {
    const holding = new ChoiceField(t("How many answers one person may choose"), [
      [
        ALL,
        t("All that apply"),
        t(
          "Of many answers a random choice is reported, and a few people are asked how many they have instead: the result then says how much is missing.",
        ),
      ],
      [
        LIMITED,
        t("Up to a number"),
        t("The page of participants says “choose up to” that many and stops there; an app has to do the same."),
      ],
      [ONE, t("One choice"), t("The page of participants takes one answer per person; an app has to do the same.")],
    ]);
    const pairs = numeric(t("Typical number per person"), {
      step: "any",
      min: 0.001,
      hint: t("How many answers people choose on average, those who choose none included. A guess is enough."),
      missing: t("say how many answers people typically choose"),
    });
    const most = numeric(t("At most (optional)"), { hint: t("The most that any person chooses, if you know it.") });
    const limit = numeric(t("Up to how many"), { missing: t("say how many answers a person may choose") });
    const any = numeric(t("People who choose any answer, in % (optional)"), {
      step: "any",
      min: 0.1,
      max: 100,
      hint: t("People without any make every answer rarer. If you leave it empty, the forecast says what it assumes."),
    });
    this.fields = { holding, pairs, most_pairs: most, limit, any };
    this.counts = make("div", {}, pairs.element);
    this.element = make("div", {}, holding.element, this.counts, limit.element);
  }

  get holding() {
    return this.fields.holding.value;
  }

  // Whether a person may name no more than one.
  get isOneChoice() {
    const { more, most_pairs: most } = this.values();
    return more === "refuse" && most === 1;
  }

  update() {
    this.fields.most_pairs.element.hidden = this.holding !== ALL;
    this.counts.hidden = this.holding !== ALL;
    this.fields.limit.element.hidden = this.holding !== LIMITED;
  }

  // The fields that count; the collector knows the limit as the most pairs.
  used() {
    const { holding, pairs, most_pairs: most, limit, any } = this.fields;
    return { [ALL]: [pairs, most, any], [LIMITED]: [limit, any], [ONE]: [holding, any] }[this.holding];
  }

  fieldNamed(name) {
    const { pairs, most_pairs: most, any } = this.fields,
      named = { pairs, most_pairs: most, holding: any }[name];
    return this.used().includes(named) ? named : this.used()[0];
  }

  // As a plan and a task take them; what is not said is null.
  values() {
    const { pairs, most_pairs: most, limit, any } = this.fields,
      number = (field) => Number(field.value) || null,
      holding = any.value ? number(any) / 100 : null;
    if (this.holding === ALL) return { pairs: number(pairs), most_pairs: number(most), holding, more: "sample" };
    return { pairs: null, most_pairs: this.holding === ONE ? 1 : number(limit), holding, more: "refuse" };
  }
}

// The values of these fields for another run of a task, which does not say how many pairs people hold.
export const valuesOfHeld = ({ more, padding }) =>
  more === "refuse" ? { holding: padding === 1 ? ONE : LIMITED, limit: String(padding) } : { holding: ALL };
