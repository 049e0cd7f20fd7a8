// One thing at a time: the steps of a form, of which one is shown, a list of them, and the way back and on.
import { t } from "../shared/language.js";
import { make } from "../shared/page.js";

export class Steps {
  // `steps` are [title, content]; `check(element)` returns the first field in it that is wrong, having told what is;
  // `shown(place)` is called when a step is.
  constructor(steps, { check, shown }) {
    Object.assign(this, { check, shown, place: 0, reached: 0 });
    this.pages = steps.map(([title, ...content], place) => {
      const heading = make("h2", { tabindex: "-1", id: `step-${place}` }, title);
      return make("section", { "aria-labelledby": heading.id, "data-step": place }, heading, ...content);
    });
    this.links = steps.map(([title], place) =>
      make(
        "button",
        { type: "button", class: "plain", onclick: () => this.go(place) },
        make("span", { class: "step", "aria-hidden": "true" }, place + 1),
        make("span", { class: "step-title" }, title),
      ),
    );
    const list = make("ol", {}, ...this.links.map((link) => make("li", {}, link)));
    this.list = make("nav", { class: "steps", "aria-label": t("Steps") }, list);
    this.back = make("button", { type: "button", onclick: () => this.go(this.place - 1) }, t("Back"));
    this.next = make(
      "button",
      { type: "button", class: "main", onclick: () => this.go(this.place + 1, this.place) },
      t("Next"),
    );
    this.element = make("div", { onreveal: (event) => this.reveal(event.target) }, ...this.pages);
    this.show(0);
  }

  get isLast() {
    return this.place === this.pages.length - 1;
  }

  // To a step that was open before as it is: what is wrong in one may be undone in another. On, and to the last, only
  // where nothing is wrong before.
  go(place, first = place <= this.reached && place < this.pages.length - 1 ? place : 0) {
    for (let before = first; before < place; before++) {
      const wrong = this.check(this.pages[before]);
      if (wrong) return wrong.problem.focus();
    }
    this.show(place);
    this.pages[place].querySelector("h2").focus({ preventScroll: true });
    scrollTo(0, 0);
  }

  show(place) {
    this.place = place;
    this.reached = Math.max(this.reached, place);
    this.pages.forEach((page, other) => {
      page.hidden = other !== place;
    });
    this.links.forEach((link, other) => {
      if (other === place) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    });
    this.back.hidden = place === 0;
    this.next.hidden = this.isLast;
    this.shown(place);
  }

  reveal(control) {
    const place = this.pages.findIndex((page) => page.contains(control));
    if (place !== this.place) this.show(place);
  }
}
