// A sheet of QR codes to print and cut up, one per invitation.
import { t } from "./language.js";
import { alertBox, choice, count, field, make, replace } from "./page.js";
import { ask } from "./request.js";
import { printAlone } from "./print-alone.js";
import { named } from "./table.js";

const SVG = "http://www.w3.org/2000/svg",
  // What a sheet has at most, and how many codes the collector draws per request: each takes about 40 ms.
  MAX_CODES = 1000,
  CODES_PER_REQUEST = 100;

export function qrPicture({ size, path }, label) {
  const picture = document.createElementNS(SVG, "svg");
  const draw = (name, attributes) => {
    const element = document.createElementNS(SVG, name);
    for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
    return element;
  };
  picture.setAttribute("viewBox", `0 0 ${size} ${size}`);
  picture.setAttribute("class", "qr");
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", label);
  // Dark on light whatever the colours of the page.
  picture.append(draw("rect", { width: size, height: size, fill: "#fff" }), draw("path", { d: path, fill: "#000" }));
  return picture;
}

// `progress` is told how many are drawn.
async function qrCodes(id, links, progress) {
  const drawn = [];
  while (drawn.length < links.length) {
    progress(drawn.length);
    const body = { links: links.slice(drawn.length, drawn.length + CODES_PER_REQUEST) };
    drawn.push(...(await ask("POST", `/tasks/${id}/qr`, { body })).codes);
  }
  return drawn;
}

// A button that prints the sheet; only the sheet is printed. Very many codes are printed in parts, of which one is chosen.
// A page cannot know whether the sheet was printed: links are not saved by it.
export function qrSheet(id, name, links) {
  const said = make("span", { role: "status" }),
    button = make("button", { type: "button", onclick: work }, t("Print QR codes")),
    starts = Array.from({ length: Math.ceil(links.length / MAX_CODES) }, (_, part) => part * MAX_CODES);
  const partFrom = (start) =>
    t("{first} to {last} of {total}", {
      first: count(start + 1),
      last: count(Math.min(start + MAX_CODES, links.length)),
      total: count(links.length),
    });
  const parts = choice(
    starts.map((start) => [String(start), partFrom(start)]),
    "0",
    () => {},
  );
  async function work() {
    const start = Number(parts.value);
    button.disabled = true;
    try {
      const part = links.slice(start, start + MAX_CODES),
        drawing = (number) =>
          replace(
            said,
            t("Drawing QR codes: {number} of {total} …", { number: count(number), total: count(part.length) }),
          ),
        codes = await qrCodes(id, part, drawing),
        label = t("QR code of an invitation");
      const sheet = make(
        "div",
        { class: "qr-sheet" },
        ...codes.map((code) =>
          make(
            "div",
            {},
            qrPicture(code, label),
            make("p", {}, named(name)),
            make("p", {}, t("For one person, once.")),
          ),
        ),
      );
      printAlone(sheet);
      replace(said);
    } catch (error) {
      replace(said, alertBox(error.message));
    } finally {
      button.disabled = false;
    }
  }
  const chosen = starts.length > 1 ? field(t("QR codes to print"), parts) : null;
  return make("div", { class: "row" }, chosen, make("div", { class: "buttons" }, button), said);
}
