// Files to download: a button for each form of them.
import { t } from "./language.js";
import { announce, make, save } from "./page.js";

export const TABLES = {
  CSV: "text/csv",
  "Excel (XLSX)": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  Parquet: "application/vnd.apache.parquet",
  JSON: "application/json",
};

// The forms that people seldom open themselves.
const OF_PROGRAMS = ["Parquet", "JSON", "SVG"];

// `works` are functions by the names of the forms, each of which resolves to a blob and its name.
export function downloads(works, onproblem) {
  async function download(form) {
    try {
      const { blob, name } = await works[form]();
      save(blob, name);
      announce(t("{form}: downloaded.", { form }));
    } catch (error) {
      onproblem(error);
    }
  }
  const button = (form) => make("button", { type: "button", onclick: () => download(form) }, form),
    [usual, others] = [true, false].map((isUsual) =>
      Object.keys(works).filter((form) => OF_PROGRAMS.includes(form) !== isUsual),
    );
  return make(
    "div",
    { class: "buttons", role: "group", "aria-label": t("Download") },
    make("span", {}, t("Download")),
    ...usual.map(button),
    others.length ? make("details", {}, make("summary", {}, t("Other forms")), ...others.map(button)) : null,
  );
}

// The works for answers of the collector in several media types; `send` gets the one to accept.
export const answersAs = (forms, send) =>
  Object.fromEntries(
    Object.entries(forms).map(([form, accept]) => [
      form,
      async () => {
        const answer = await send(accept);
        return { blob: await answer.blob(), name: fileName(answer) };
      },
    ]),
  );

// The name that the collector gave a download: names outside ASCII come in another form.
function fileName(answer) {
  const header = answer.headers.get("Content-Disposition");
  const encoded = /filename\*=UTF-8''([^;]+)/.exec(header);
  return encoded ? decodeURIComponent(encoded[1]) : /filename="([^"]+)"/.exec(header)[1];
}
