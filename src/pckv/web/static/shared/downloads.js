// Files to download: a button for each form of them.
import { t } from "./language.js";
import { announce, make, save } from "./page.js";

export const TABLES = {
  CSV: "text/csv",
  "Excel (XLSX)": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  Parquet: "application/vnd.apache.parquet",
  JSON: "application/json",
};

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
  const button = (form) => make("button", { type: "button", onclick: () => download(form) }, form);
  return make(
    "div",
    { class: "buttons", role: "group", "aria-label": t("Download") },
    make("span", {}, t("Download")),
    ...Object.keys(works).map(button),
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
