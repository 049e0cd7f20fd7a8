// What stands in the way of taking part, told before a survey is published: who asks has no name yet, or links could not
// be shared.
import { saveOrganisation } from "../dashboard/header.js";
import { t } from "../shared/language.js";
import { alertBox, announce, field, make, replace } from "../shared/page.js";
import { ask } from "../shared/request.js";
import { addressNeeded, publicAddress } from "../shared/public-address.js";

export class BeforePublishing {
  constructor() {
    this.element = make("div");
    this.asked = false;
  }

  // Asks the collector once, when the last step is seen first.
  async show() {
    if (this.asked) return;
    this.asked = true;
    const [{ name }, address] = await Promise.all([
      ask("GET", "/organisation").catch(() => ({ name: "" })),
      publicAddress().catch(() => null),
    ]);
    replace(
      this.element,
      name === null ? this.nameNeeded(address) : null,
      address && !address.url ? addressNeeded(address) : null,
    );
  }

  nameNeeded(address) {
    const input = make("input", { type: "text", maxlength: 256, autocomplete: "organization" }),
      said = make("div"),
      host = new URL(address?.url ?? location.origin).host;
    const send = async () => {
      if (!input.value.trim()) return input.focus();
      try {
        await saveOrganisation({ name: input.value.trim() });
        replace(part, make("p", { class: "note done" }, t("The name is saved.")));
        announce(t("The name is saved."));
      } catch (error) {
        replace(said, alertBox(error.message));
      }
    };
    const part = make(
      "div",
      {},
      field(
        t("Name of your organisation"),
        input,
        t("Participants read who asks. Without a name they read the address “{host}”.", { host }),
      ),
      said,
      make("div", { class: "buttons" }, make("button", { type: "button", onclick: send }, t("Save the name"))),
    );
    return part;
  }
}
