// The plan for what a form says: its first section, with a light, and the others behind a disclosure.
import { Chart } from "../shared/chart.js";
import { alertBox, ask, make, newestOnly, percent, query, replace } from "../shared/page.js";
import { Table } from "../shared/table.js";

export class PlanSection {
  // `change` leads to what the plan assumes.
  constructor(change) {
    Object.assign(this, { change, newest: null });
    this.byEpsilon = new Chart("Expected 95 % ranges against ε.");
    this.byUsers = new Chart("Expected 95 % ranges against the number of people.");
    this.said = make("div", { "aria-live": "polite" });
    this.facts = make("div");
    this.curves = make("div");
    const summary = make("summary", {}, "Details"),
      attributes = { hidden: true, ontoggle: () => this.draw() };
    this.details = make("details", attributes, summary, this.facts, this.curves);
    this.busy = make("small", { role: "status" });
    const title = make("h2", {}, "What to expect ", this.busy);
    this.element = make("section", { class: "plan", "aria-label": "Plan" }, title, this.said, this.details);
  }

  wait(text) {
    this.show.stop();
    this.busy.textContent = "";
    this.details.hidden = true;
    replace(this.said, make("p", {}, "The plan appears here."), make("p", { class: "aside" }, text));
  }

  // `round`, if it is not empty, says that the plan is for one round of several. One plan is asked for at a
  // time: the collector goes on planning for a request that is given up, and limits how much it plans at once.
  show = newestOnly(async (signal, { kind, ...values }, round = "") => {
    this.busy.textContent = "planning …";
    try {
      await this.asked;
      if (signal.aborted) return;
      const kindPath = kind === "discovery" ? "/discovery" : "",
        answer = ask("GET", `/plan${kindPath}?${query(values)}`);
      this.asked = answer.catch(() => null);
      const newest = await answer;
      if (signal.aborted) return;
      this.newest = newest;
      const [first, ...rest] = this.newest.sections,
        mixed = (newest.plan ?? newest).mixed ? mixedSections(rest) : null,
        others = mixed?.others ?? rest;
      replace(
        this.said,
        atFirstSight(first),
        newest.plan ? this.changeButton() : null,
        ...(mixed?.shown ?? []),
        round ? make("p", {}, round) : null,
      );
      replace(this.facts, ...others.map(detail));
      this.details.hidden = !others.length;
      await this.draw();
    } catch (error) {
      if (signal.aborted) return;
      this.details.hidden = true;
      replace(this.said, alertBox(error.detail ?? error.message));
    } finally {
      if (!signal.aborted) this.busy.textContent = "";
    }
  });

  changeButton() {
    const attributes = { type: "button", class: "plain", onclick: this.change };
    return make("p", { class: "aside" }, make("button", attributes, "Change what is assumed"));
  }

  // The script that draws is large: it is loaded when the details are opened.
  async draw() {
    const { details, newest, byEpsilon, byUsers } = this;
    if (!details.open || details.hidden) return;
    if (!newest.by_epsilon) {
      replace(this.curves);
      return;
    }
    const typical = `The curves are for a key that ${percent(newest.plan.frequency)} of people hold, a typical one of the most frequent.`;
    replace(
      this.curves,
      make("p", {}, typical),
      make("h3", {}, "With another ε"),
      byEpsilon.element,
      make("h3", {}, "With more or fewer people"),
      byUsers.element,
    );
    try {
      await Promise.all([byEpsilon.draw(newest.by_epsilon), byUsers.draw(newest.by_users)]);
    } catch (error) {
      replace(this.curves, alertBox(error.message));
    }
  }

  stop() {
    this.show.stop();
    this.byEpsilon.stop();
    this.byUsers.stop();
  }
}

function atFirstSight({ light, title, sentences }) {
  const lamp = light ? make("span", { class: "lamp", "aria-hidden": "true" }) : null,
    heading = make("p", { class: light ? `light ${light}` : null }, lamp, make("strong", {}, title));
  return make("div", { class: "verdict" }, heading, ...sentences.map((sentence) => make("p", {}, sentence)));
}

// Of a mixed plan both ways are in sight, and what is proposed, with what happens if fewer people take part.
function mixedSections([choice, ...rest]) {
  const proposal = rest.find(({ columns }) => columns[0] === "member"),
    [tooFew, ...conditions] = proposal.sentences;
  return {
    shown: [bothWays(choice), proposed(proposal), make("p", {}, tooFew)],
    others: rest.map((each) => (each === proposal ? { ...each, columns: [], sentences: conditions } : each)),
  };
}

// Without a mixer and with one, a sentence each, and what is unusual.
function bothWays({ title, sentences }) {
  const [no, yes, ...remarks] = sentences.map((sentence) => make("p", {}, sentence));
  return make("div", { class: "ways" }, make("h3", {}, title), make("div", {}, no, yes), ...remarks);
}

// A table of three columns does not fit beside the form.
function proposed({ title, rows }) {
  const lines = rows.map(([member, value, meaning]) =>
    make("li", {}, make("code", {}, member), " ", make("strong", {}, value), `, ${meaning}`),
  );
  return make("div", {}, make("h3", {}, title), make("ul", {}, ...lines));
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

function sectionTable(label, names, rows, texts) {
  const columns = names.map((name, place) => ({ name, number: place >= texts }));
  return new Table({ columns, row: (cells) => cells, kind: "compact errors", label }).show(rows).element;
}
