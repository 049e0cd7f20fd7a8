// What stands where something could not be asked for.
import { t } from "./language.js";
import { alertBox, make } from "./page.js";

export const retryBox = (error, again) =>
  make(
    "div",
    {},
    alertBox(error.message),
    make("div", { class: "buttons" }, make("button", { type: "button", onclick: again }, t("Try again"))),
  );
