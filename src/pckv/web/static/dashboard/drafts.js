// Surveys that are not published yet.
import { day, t } from "../shared/language.js";
import { announce, confirmButton, make } from "../shared/page.js";
import { ask } from "../shared/request.js";
import { Table, named } from "../shared/table.js";

const COLUMNS = [{ name: t("Draft") }, { name: t("Last change") }, { name: t("What you can do") }];

export class Drafts {
  constructor(again) {
    this.again = again;
    this.table = new Table({ columns: COLUMNS, row: (draft) => this.row(draft), kind: "tasks drafts" });
    this.element = make(
      "section",
      { class: "list", "aria-label": t("Drafts"), hidden: true },
      make("h2", {}, t("Drafts")),
      make("p", {}, t("These are not published yet: no responses are taken. Open one to go on with it.")),
      this.table.element,
    );
  }

  async refresh(signal) {
    const { drafts } = await ask("GET", "/drafts", { signal });
    this.table.show(drafts);
    this.element.hidden = drafts.length === 0;
  }

  row({ id, name, changed }) {
    const shown = name || t("Without a name");
    const deletion = confirmButton({
      label: t("Delete the draft"),
      kind: "plain",
      title: t("Delete this draft?"),
      text: t("“{name}” is not published. A deleted draft cannot be restored.", { name: shown }),
      work: async () => {
        await ask("DELETE", `/drafts/${id}`);
        announce(t("The draft is deleted."));
        this.again();
      },
    });
    return [make("a", { href: `#/new?draft=${id}` }, named(shown)), day(changed), deletion];
  }
}
