// One repeated survey: its open round, the reports of every round, what changed, and what can be done with it.
import { TrendSection } from "../results/trend.js";
import { readAddress, writeSettings } from "../shared/address.js";
import { polled } from "../shared/connection.js";
import { t } from "../shared/language.js";
import { alertBox, announce, ask, confirmButton, make, replace } from "../shared/page.js";
import { publicAddress } from "../shared/public-address.js";
import { seriesDetails } from "./details.js";
import { seriesHead } from "./series-head.js";
import { seriesApps, seriesShare } from "./share.js";

export function seriesView(root, id, role) {
  document.title = `${t("Repeated survey")} – pckv`;
  const view = new SeriesView(root, id, role);
  view.refresh();
  return () => view.stop();
}

class SeriesView {
  constructor(root, id, role) {
    const path = `/series/${encodeURIComponent(id)}`,
      said = make("div", {}, make("p", { class: "computing" }, t("Loading …")));
    // The contract never changes.
    Object.assign(this, { root, id, role, path, contract: null, built: "" });
    this.head = seriesHead(role, () => this.refresh());
    this.trend = new TrendSection({ path, settings: readAddress().settings, onsettings: writeSettings });
    this.details = make("div");
    this.share = make("div");
    this.apps = make("div");
    this.end = make("div");
    this.body = make(
      "div",
      { hidden: true },
      this.head.element,
      make("div", { class: "overview" }, this.head.counts, this.head.rounds),
      this.trend.element,
      this.share,
      this.apps,
      this.details,
      this.end,
    );
    replace(root, said, this.body);
    this.refresh = polled({
      ask: (signal) => this.ask(signal),
      use: (answer) => this.show(answer),
      said,
      isOver: (error) => error.status === 404 && this.showNone(error),
    });
  }

  async ask(signal) {
    this.contract ??= await ask("GET", this.path, { signal });
    this.address ??= await publicAddress();
    return ask("GET", `${this.path}/rounds?limit=${this.head.limit()}`, { signal });
  }

  show(answer) {
    const { contract } = this,
      series = { ...answer.series, facts: answer.facts };
    document.title = `${series.name} – pckv`;
    this.body.hidden = false;
    this.build(series);
    this.head.show(contract, answer);
    this.trend.show(contract, answer);
  }

  // What an operator may be using is rebuilt only when it changes.
  build(series) {
    const { phase } = series;
    if (phase === this.built) return;
    this.built = phase;
    const shared = { id: this.id, name: series.name, task: this.contract.task };
    replace(this.details, seriesDetails(this.contract, series));
    replace(this.share, phase === "closed" ? null : seriesShare(shared, this.address));
    replace(this.apps, phase === "closed" ? null : seriesApps(shared, this.address));
    replace(this.end, this.role === "administrator" && phase !== "closed" ? this.endSection(series) : null);
  }

  showNone(error) {
    const link = make("p", {}, make("a", { href: "#/" }, t("All surveys")));
    replace(this.root, make("h1", {}, t("No survey here")), alertBox(error.message), link);
    return true;
  }

  endSection({ name }) {
    const closing = confirmButton({
      label: t("Close"),
      kind: "close",
      title: t("Close this repeated survey?"),
      text: t(
        "“{name}”: no responses are taken from now on, and no further round opens. The results of all rounds stay. It cannot be opened again.",
        { name },
      ),
      work: () => this.close(),
    });
    return make(
      "section",
      { "aria-label": t("End") },
      make("h2", {}, t("End")),
      make(
        "p",
        {},
        t("Rounds open and close by themselves. A round can be deleted on its own page, under “Settings”."),
      ),
      make("div", { class: "buttons" }, closing),
    );
  }

  async close() {
    await ask("POST", `${this.path}/close`);
    announce(t("The repeated survey is closed."));
    this.refresh();
  }

  stop() {
    this.refresh.stop();
    this.head.stop();
    this.trend.stop();
  }
}
