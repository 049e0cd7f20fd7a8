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
          "A response stands for a limited number of answers, which the last step says. If someone ticks more, some of them are picked at random and count.",
        ),
      ],
      [
        LIMITED,
        t("At most a certain number"),
        t("The survey's page tells people how many they may choose, and takes no more."),
      ],
      [ONE, t("One choice"), t("The survey's page takes one answer per person.")],
    ]);
    const pairs = numeric(t("How many answers a person chooses on average"), {
      step: "any",
      min: 0.001,
      hint: t(
        "Including those who choose none. A guess is enough: it shapes the forecast and how many answers of a person count; the privacy level stays.",
      ),
      missing: t("say how many answers people typically choose"),
    });
    const most = numeric(t("At most (optional)"), { hint: t("The most that any person chooses, if you know it.") });
    const limit = numeric(t("At most how many"), { missing: t("say how many answers a person may choose") });
    const any = numeric(t("People who choose any answer, in % (optional)"), {
      step: "any",
      min: 0.1,
      max: 100,
      hint: t("People without any make every answer rarer. If you leave it empty, the forecast says what it assumes."),
    });
    this.fields = { holding, pairs, most_pairs: most, limit, any };
    this.counts = make("div", {}, pairs.element);
    this.ofApps = make(
      "p",
      { class: "aside" },
      t("If you send responses from an app of your own, it has to keep people to this limit, too."),
    );
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
    this.ofApps.hidden = this.holding === ALL;
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
