// A sheet of QR codes to print and cut up, one per invitation.
import { t } from "./language.js";
import { alertBox, ask, make, replace } from "./page.js";

const SVG = "http://www.w3.org/2000/svg";

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

export const qrCodes = async (id, links) => (await ask("POST", `/tasks/${id}/qr`, { body: { links } })).codes;

// A button that prints the sheet; only the sheet is printed.
export function qrSheet(id, name, links, onprinted) {
  const said = make("span"),
    button = make("button", { type: "button", onclick: work }, t("Print QR codes"));
  async function work() {
    button.disabled = true;
    try {
      const codes = await qrCodes(id, links),
        label = t("QR code of an invitation");
      const sheet = make(
        "div",
        { class: "qr-sheet" },
        ...codes.map((code) =>
          make("div", {}, qrPicture(code, label), make("p", {}, name), make("p", {}, t("For one person, once."))),
        ),
      );
      document.body.append(sheet);
      addEventListener("afterprint", () => sheet.remove(), { once: true });
      print();
      replace(said);
      onprinted();
    } catch (error) {
      replace(said, alertBox(error.message));
    } finally {
      button.disabled = false;
    }
  }
  return make("span", {}, button, said);
}
