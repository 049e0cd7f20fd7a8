// One repeated survey in four tabs: what changed and the reports of every round, how people take part, what can be
// changed, and what few people need.
import { TrendSection } from "../results/trend.js";
import { readAddress, writeSettings } from "../shared/address.js";
import { polled } from "../shared/connection.js";
import { shownText } from "../shared/direction.js";
import { t } from "../shared/language.js";
import { alertBox, make, replace } from "../shared/page.js";
import { ask } from "../shared/request.js";
import { publicAddress } from "../shared/public-address.js";
import { Tabs } from "../shared/tabs.js";
import { seriesDetails } from "./details.js";
import { seriesHead } from "./series-head.js";
import { closeOrReopen, section, whatIsFixed } from "./settings.js";
import { hasEnded, seriesApps, seriesShare } from "./share.js";

export function seriesView(root, id, role, tab) {
  document.title = `${t("Repeated survey")} – pckv`;
  const view = new SeriesView(root, id, role);
  view.tabs.open(tab);
  view.refresh();
  const stop = () => view.stop();
  stop.move = (place, otherId, part) => {
    if (place !== "series" || otherId !== id) return false;
    view.tabs.open(part);
    return true;
  };
  return stop;
}

class SeriesView {
  constructor(root, id, role) {
    const path = `/series/${encodeURIComponent(id)}`,
      said = make("div", {}, make("p", { class: "computing" }, t("Loading …")));
    // The contract never changes.
    Object.assign(this, { root, id, path, contract: null, built: "" });
    this.head = seriesHead(() => this.refresh());
    this.trend = new TrendSection({
      path,
      settings: readAddress().settings,
      onsettings: (chosen) => {
        writeSettings(chosen);
        this.tabs.keep();
      },
    });
    this.details = make("div");
    this.share = make("div");
    this.changeable = make("div");
    const overview = make("div", { class: "overview" }, this.head.counts, this.head.rounds);
    this.tabs = new Tabs(`#${path}`, t("Parts of this survey"), [
      ["", t("Results"), make("div", {}, overview, this.trend.element)],
      ["share", t("Share"), this.share],
      ...(role === "administrator" ? [["settings", t("Settings"), this.changeable]] : []),
      ["details", t("Details"), this.details],
    ]);
    this.body = make("div", { hidden: true }, this.head.element, this.tabs.element, ...Object.values(this.tabs.places));
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
      reports = answer.rounds.reduce((sum, each) => sum + each.reports, 0),
      series = { ...answer.series, facts: answer.facts, reports };
    document.title = `${shownText(series.name)} – pckv`;
    this.body.hidden = false;
    this.head.show(contract, answer);
    this.trend.show(contract, answer);
    return this.build(series);
  }

  // What an operator may be using is rebuilt only when it changes.
  async build(series) {
    const { phase, reopen_until: until } = series,
      state = `${phase} ${until}`;
    if (state === this.built) return;
    this.built = state;
    const shared = { ...series, task: this.contract.task };
    let parts = [hasEnded()];
    try {
      if (phase !== "closed") parts = [await seriesShare(shared, this.address), seriesApps(shared, this.address)];
    } catch (error) {
      this.built = "";
      throw error;
    }
    // What was begun for an earlier state may end later.
    if (state !== this.built) return;
    replace(this.share, ...parts);
    replace(this.details, seriesDetails(this.contract, series));
    replace(this.changeable, whatIsFixed(`#/new?series=${this.id}`), this.endSection(series));
  }

  showNone(error) {
    const link = make("p", {}, make("a", { href: "#/" }, t("All surveys")));
    replace(this.root, make("h1", {}, t("No survey here")), alertBox(error.message), link);
    return true;
  }

  endSection(series) {
    const { name } = series,
      isMixed = Boolean(this.contract.task.mixer);
    const text = isMixed
      ? t(
          "“{name}”: no responses are taken from now on, and no further round opens. The results of all rounds stay. It cannot be opened again.",
          { name },
        )
      : t(
          "“{name}”: no responses are taken from now on, and no further round opens. The results of all rounds stay. You can undo this for seven days, at most until the end of its last round.",
          { name },
        );
    return section(
      t("End"),
      make(
        "p",
        {},
        t("Rounds open and close by themselves. A round can be deleted on its own page, under “Settings”."),
      ),
      ...closeOrReopen(
        series,
        { title: t("Close this repeated survey?"), text, label: t("Close the repeated survey") },
        this.path,
        this.refresh,
      ),
    );
  }

  stop() {
    this.refresh.stop();
    this.head.stop();
    this.trend.stop();
  }
}
