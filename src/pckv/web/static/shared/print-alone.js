// Prints one element alone: it stands in the page, for paper only, until the browser has printed.
export function printAlone(element) {
  element.classList.add("print-alone");
  document.body.append(element);
  addEventListener("afterprint", () => element.remove(), { once: true });
  print();
}
