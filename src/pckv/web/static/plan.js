// The plan for what a form says: its first section, with a light, and the others behind a disclosure.
import { Chart } from "./chart.js";
import { alertBox, ask, make, newestOnly, percent, query, replace } from "./page.js";

// `change` leads to what the plan assumes.
export function planSection(change) {
  const byEpsilon = new Chart("Expected errors against ε."),
    byUsers = new Chart("Expected errors against the number of people.");
  const said = make("div", { "aria-live": "polite" }),
    facts = make("div"),
    curves = make("div");
  const details = make("details", { hidden: true, ontoggle: draw }, make("summary", {}, "Details"), facts, curves);
  const busy = make("small", { role: "status" }),
    title = make("h2", {}, "What to expect ", busy);
  const element = make("section", { class: "plan", "aria-label": "Plan" }, title, said, details);
  let newest = null;

  function wait(text) {
    show.stop();
    busy.textContent = "";
    details.hidden = true;
    replace(said, make("p", {}, "The plan appears here."), make("p", { class: "aside" }, text));
  }

  // `round`, if it is not empty, says that the plan is for one round of several.
  const show = newestOnly(async (signal, { kind, ...values }, round = "") => {
    busy.textContent = "planning …";
    try {
      newest = await ask("GET", `/plan${kind === "discovery" ? "/discovery" : ""}?${query(values)}`, { signal });
      const [first, ...others] = newest.sections,
        button = make("button", { type: "button", class: "plain", onclick: change }, "Change what is assumed");
      replace(said, atFirstSight(first), others.length ? make("p", { class: "aside" }, button) : null, round ? make("p", {}, round) : null);
      replace(facts, ...others.map(detail));
      details.hidden = !others.length;
      await draw();
    } catch (error) {
      if (signal.aborted) return;
      details.hidden = true;
      replace(said, alertBox(error.detail ?? error.message));
    } finally {
      if (!signal.aborted) busy.textContent = "";
    }
  });

  // The script that draws is large: it is loaded when the details are opened.
  async function draw() {
    if (!details.open || details.hidden) return;
    replace(
      curves,
      make("p", {}, `The curves are for a key that ${percent(newest.plan.frequency)} of people hold, a typical one of the most frequent.`),
      make("h3", {}, "With another ε"),
      byEpsilon.element,
      make("h3", {}, "With more or fewer people"),
      byUsers.element,
    );
    try {
      await Promise.all([byEpsilon.draw(newest.by_epsilon), byUsers.draw(newest.by_users)]);
    } catch (error) {
      replace(curves, alertBox(error.message));
    }
  }

  return {
    element,
    show,
    wait,
    stop() {
      show.stop();
      byEpsilon.stop();
      byUsers.stop();
    },
  };
}

function atFirstSight({ light, title, sentences }) {
  const heading = light
    ? make("p", { class: `light ${light}` }, make("span", { class: "lamp", "aria-hidden": "true" }), make("strong", {}, title))
    : make("p", {}, make("strong", {}, title));
  return make("div", { class: "verdict" }, heading, ...sentences.map((sentence) => make("p", {}, sentence)));
}

function detail({ title, sentences, columns, rows, texts }) {
  return make(
    "div",
    {},
    make("h3", {}, title),
    columns.length ? sectionTable(title, columns, rows, texts) : null,
    ...sentences.map((sentence) => make("p", {}, sentence)),
  );
}

function sectionTable(title, columns, rows, texts) {
  const cell = (tag, column, text, attributes = {}) => make(tag, { ...attributes, class: column < texts ? null : "number" }, text);
  const head = columns.map((name, column) => cell("th", column, name, { scope: "col" })),
    body = rows.map(([first, ...others]) =>
      make("tr", {}, cell("th", 0, first, { scope: "row" }), ...others.map((text, place) => cell("td", place + 1, text))),
    );
  return make(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
    make("table", { class: "compact errors" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body)),
  );
}
