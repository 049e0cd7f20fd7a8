// One series: which round takes reports, how many came in every round, what changed, and what can be done with it.
import { readAddress, writeSettings } from "./address.js";
import { found, isLost } from "./connection.js";
import { alertBox, announce, ask, confirmButton, make, newestOnly, replace } from "./page.js";
import { seriesDetails } from "./series-details.js";
import { seriesHead } from "./series-head.js";
import { seriesApps } from "./share.js";
import { trendSection } from "./trend.js";

const POLL_SECONDS = 3;

export function seriesView(root, id, role) {
  document.title = "Series – pckv";
  const path = `/series/${encodeURIComponent(id)}`,
    head = seriesHead(role, () => refresh()),
    trend = trendSection({ path, settings: readAddress().settings, onsettings: writeSettings });
  const said = make("div", {}, make("p", { class: "computing" }, "Loading …")),
    details = make("div"),
    apps = make("div"),
    end = make("div"),
    body = make(
      "div",
      { hidden: true },
      head.element,
      make("div", { class: "overview" }, head.counts, head.rounds),
      trend.element,
      details,
      apps,
      end,
    );
  let timer,
    // The contract never changes.
    contract,
    series,
    built = "";
  replace(root, said, body);

  // What somebody may be using is built again only when it changes.
  function build() {
    if (series.phase === built) return;
    built = series.phase;
    replace(details, seriesDetails(contract, series));
    replace(apps, series.phase === "closed" ? null : seriesApps(id, contract.task));
    replace(end, role === "administrator" && series.phase !== "closed" ? endSection() : null);
  }

  const refresh = newestOnly(async (signal) => {
    clearTimeout(timer);
    try {
      contract ??= await ask("GET", path, { signal });
      const answer = await ask("GET", `${path}/rounds?limit=${head.limit()}`, { signal });
      found();
      series = { ...answer.series, facts: answer.facts };
      document.title = `${series.name} – pckv`;
      body.hidden = false;
      build();
      head.show(contract, answer);
      trend.show(contract, answer);
      replace(said);
    } catch (error) {
      if (signal.aborted) return;
      replace(said, isLost(error) ? null : alertBox(error.message));
      if (error.status === 404) return showNone(error);
    }
    timer = setTimeout(refresh, 1000 * POLL_SECONDS);
  });

  function showNone(error) {
    replace(root, make("h1", {}, "No series here"), alertBox(error.message), make("p", {}, make("a", { href: "#/" }, "All tasks")));
  }

  function endSection() {
    const closing = confirmButton({
      label: "Close",
      kind: "close",
      title: "Close this series?",
      text: `“${series.name}”: From now on no more reports are taken, and no round opens any more. The trend and the rounds stay. The series cannot be opened again.`,
      work: close,
    });
    return make(
      "section",
      { "aria-label": "End" },
      make("h2", {}, "End"),
      make("p", {}, "Rounds open and close by themselves. Reports of a round can be deleted on the page of the round."),
      make("div", { class: "buttons" }, closing),
    );
  }

  async function close() {
    await ask("POST", `${path}/close`);
    announce("The series is closed.");
    refresh();
  }

  refresh();
  return () => {
    clearTimeout(timer);
    refresh.stop();
    trend.stop();
  };
}
