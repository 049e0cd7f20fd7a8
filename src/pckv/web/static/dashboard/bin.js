// Deleted surveys, which wait a week before they are erased.
import { day, t } from "../shared/language.js";
import { alertBox, announce, confirmButton, count, make, replace } from "../shared/page.js";
import { ask } from "../shared/request.js";
import { Table, named } from "../shared/table.js";
import { erasureSaid } from "./deletion.js";

const COLUMNS = [
  { name: t("Survey") },
  { name: t("Kept until") },
  { name: t("Responses"), number: true },
  { name: t("What you can do") },
];

export class Bin {
  constructor(again) {
    this.again = again;
    this.said = make("div");
    this.table = new Table({ columns: COLUMNS, row: (task) => this.row(task), kind: "tasks deleted" });
    this.element = make(
      "details",
      { class: "card", id: "deleted", hidden: true },
      make("summary", {}, make("h2", {}, t("Deleted"))),
      make("p", {}, t("Deleted surveys take no responses. They can be restored until the day that is shown.")),
      this.said,
      this.table.element,
    );
  }

  async refresh(signal) {
    const { tasks } = await ask("GET", "/deleted", { signal });
    this.table.show(tasks);
    // What was said of the last one stays in sight.
    this.element.hidden = tasks.length === 0 && !this.said.hasChildNodes();
    this.table.element.hidden = tasks.length === 0;
  }

  row({ id, name, until, reports }) {
    const restore = make("button", { type: "button", onclick: () => this.restore(id, name) }, t("Restore"));
    restore.setAttribute("aria-label", t("Restore “{name}”", { name }));
    const deletion = confirmButton({
      label: t("Delete now"),
      kind: "danger",
      title: t("Delete now, for good?"),
      text: t(
        "“{name}”: the survey, all its responses and its results are deleted for good. Downloaded copies are not deleted. The same survey cannot be made again.",
        { name },
      ),
      work: () => this.erase(id, name),
    });
    return [named(name), day(until), count(reports), make("div", { class: "buttons" }, restore, deletion)];
  }

  async restore(id, name) {
    try {
      await ask("POST", `/tasks/${id}/restore`);
      replace(this.said, make("p", { class: "note done", role: "status" }, t("“{name}” is restored.", { name })));
    } catch (error) {
      replace(this.said, alertBox(error.message));
    }
    this.again();
  }

  async erase(id, name) {
    const again = () => ask("DELETE", `/tasks/${id}?now=true`),
      deletion = await again();
    replace(this.said, ...erasureSaid(name, deletion, again));
    announce(t("“{name}” is deleted for good.", { name }));
    this.again();
  }
}
