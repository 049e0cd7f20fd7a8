// How many of the keys one person holds: all that apply, up to a number, or one; and how many people hold any. What
// may be more than a report stands for is measured; a limit is a contract, which holds where pairs are entered.
import { ChoiceField, numeric } from "../shared/form-fields.js";
import { make } from "../shared/page.js";

const ALL = "all",
  LIMITED = "limited",
  ONE = "one";

export class HeldFields {
  constructor() {
    const holding = new ChoiceField("How many of the keys one person may name", [
      [
        ALL,
        "All that apply",
        "Of more than a report stands for, a random choice is reported, and a few people are asked how many they hold instead: the result then says how much is missing.",
      ],
      [
        LIMITED,
        "Up to a number",
        "The join page says “choose up to” that many and stops there; an app has to do the same.",
      ],
      [ONE, "One choice", "The join page takes one of the keys per person; an app has to do the same."],
    ]);
    const pairs = numeric("Typical number per person", {
      step: "any",
      min: 0.001,
      hint: "How many of the keys people hold on average, those who hold none included. The plan depends on it.",
      missing: "say how many of the keys people typically hold",
    });
    const most = numeric("At most (optional)", { hint: "The most that any person holds, if you know it." });
    const limit = numeric("Up to how many", { missing: "say how many of the keys a person may name" });
    const any = numeric("People who hold any of the keys, in % (optional)", {
      step: "any",
      min: 0.1,
      max: 100,
      hint: "People without any make every key rarer. If you leave it empty, the plan says what it assumes.",
    });
    this.fields = { holding, pairs, most_pairs: most, limit, any };
    this.counts = make("div", { class: "row" }, pairs.element, most.element);
    this.element = make("div", {}, holding.element, this.counts, limit.element, any.element);
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
