// The parts of a page of which one is seen at a time, each with an address of its own.
import { make } from "./page.js";

export class Tabs {
  // `parts` are the names in addresses, the words and the elements; the first has no name, and `address` is its own.
  constructor(address, label, parts) {
    this.places = Object.fromEntries(parts.map(([name, , element]) => [name, element]));
    this.links = parts.map(([name, words]) =>
      make("a", { href: name ? `${address}/${name}` : address, "data-tab": name }, words),
    );
    this.element = make("nav", { class: "tabs", "aria-label": label }, ...this.links);
  }

  // All parts stay on the page, so that no input is lost. An unknown name opens the first.
  open(wanted) {
    const tab = Object.hasOwn(this.places, wanted) ? wanted : "";
    for (const [name, place] of Object.entries(this.places)) place.hidden = name !== tab;
    for (const link of this.links) {
      if (link.dataset.tab === tab) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (tab === "") this.keep();
  }

  // What was asked for in the first part stays in its address.
  keep() {
    this.links[0].href = location.hash || this.links[0].href;
  }
}
