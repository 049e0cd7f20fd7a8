// The participant's page for a task that does not exist yet: it shows a draft, and makes no report.
import { PckvError, Task } from "/client/index.js";
import { loadPreview } from "../shared/draft.js";
import { pageLanguage, say } from "./join-strings.js";
import { make } from "../shared/page.js";

// In place of a client: it neither stores nor sends anything.
export class PreviewClient {
  url = location.origin;

  constructor() {
    document.body.prepend(
      make("aside", { class: "preview", "aria-label": say("preview_label"), lang: pageLanguage() }, say("preview")),
    );
  }

  async task() {
    const text = loadPreview();
    if (!text) throw new PckvError("unknown", "there is no draft in this browser");
    return Task.fromJson(text);
  }

  async spent() {
    return "0";
  }

  async cap() {
    return "10";
  }

  async localSpent() {
    return "0";
  }

  async localCap() {
    return "40";
  }

  async receipt() {}

  async check() {}

  async submit() {
    throw new PckvError("preview", "no report is made of a preview");
  }

  async flush() {
    return [];
  }
}
