// Between the form and a mixed task: its file goes to the mixer, whose operator accepts it and hands over a token; then
// the collector asks the mixer, and takes the task.
import { TextField } from "../shared/form-fields.js";
import { t } from "../shared/language.js";
import { alertBox, confirmButton, make, replace, save } from "../shared/page.js";
import { ask } from "../shared/request.js";
import { snippet } from "../shared/snippet.js";
import { publishDialog } from "./publish.js";

const step = (number, title, ...content) =>
  make(
    "section",
    { "aria-label": title },
    make("h2", {}, make("span", { class: "step" }, number), " ", title),
    ...content,
  );

export class Handover {
  // `made` is what was made of a form, and `kept` whether the browser keeps it; `change` leads back to the form, and
  // `created` onwards.
  constructor(made, { kept, change, created }) {
    Object.assign(this, { made, created });
    const { name, file } = made;
    this.title = make("h1", { tabindex: "-1" }, t("“{name}” goes to its mixer first", { name }));
    this.token = new TextField(
      t("Recipient's token"),
      make("input", { type: "password", autocomplete: "off", spellcheck: "false" }),
      {
        hint: t(
          "The mixer shows it once, when the survey is accepted. With it this collector fetches the responses; it is kept beside the private key.",
        ),
        missing: t("enter the token that the mixer's operator gave you"),
      },
    );
    this.said = make("div");
    this.dialog = publishDialog(() => this.publish());
    this.button = make("button", { class: "main" }, t("Ask the mixer and publish"));
    this.element = make(
      "form",
      { class: "handover", novalidate: true, onsubmit: (event) => this.send(event) },
      this.sending(),
      step(
        2,
        t("Enter the token that you get back"),
        this.token.element,
        make(
          "p",
          { class: "note" },
          t(
            "The private key is the file {file} in this collector's folder of keys, and nowhere else. Without it no response can be opened: keep a copy in a place of its own until the responses are in.",
            { file },
          ),
        ),
      ),
      this.said,
      make(
        "div",
        { class: "buttons" },
        this.button,
        confirmButton({
          label: t("Change the form"),
          title: t("Delete the file for the mixer?"),
          text: t("“{name}”: if the mixer has accepted this file, the changed survey needs another name.", { name }),
          work: change,
        }),
      ),
      make(
        "p",
        { class: "aside" },
        `${kept ? t("This browser keeps the file until the survey is published.") : t("This browser cannot keep the file: leave this page open until the survey is published.")} ${t("A changed form makes another file; if the mixer has accepted this one, that needs another name.")}`,
      ),
      this.dialog.element,
    );
  }

  // What the mixer's operator is given, and does with it.
  sending() {
    const { noun, text, url, operator } = this.made,
      fileName = `${noun}.json`,
      download = () => save(new Blob([text], { type: "application/json" }), fileName);
    return step(
      1,
      t("Send the file of the survey to {operator}", { operator }),
      make(
        "p",
        {},
        t(
          "It has all that the form says, the batch, the claim, and the public key that responses are sealed for. Nothing in it is secret.",
        ),
      ),
      make("p", {}, make("button", { type: "button", onclick: download }, t("Download {file}", { file: fileName }))),
      make(
        "p",
        {},
        t(
          "{operator} computes the claim again, accepts the survey with this command, and gives you the token that it prints:",
          { operator },
        ),
      ),
      snippet(
        t("Command of the mixer's operator"),
        `pckv mix accept ${fileName} --url ${url} --token-file operator.token`,
      ),
    );
  }

  send(event) {
    event.preventDefault();
    if (this.token.validate()) this.dialog.open({ name: this.made.name, questions: [] }, null);
    else this.token.problem.focus();
  }

  async publish() {
    this.button.disabled = true;
    replace(this.said, make("p", { role: "status" }, t("Asking the mixer …")));
    try {
      const answer = await this.create();
      replace(this.said);
      this.created(answer);
    } catch (error) {
      replace(this.said, alertBox(error.message));
    } finally {
      this.button.disabled = false;
    }
  }

  // The text that the mixer accepted, as it is.
  async create() {
    const { key, noun, text, target } = this.made,
      path = noun === "series" ? "/series" : "/tasks";
    await ask("PUT", `/mixer-keys/${key}/token`, { body: { token: this.token.value } });
    const answer = await ask("POST", path, { body: JSON.parse(text) });
    if (noun === "task") await ask("PATCH", `/tasks/${answer.id}`, { body: { target } });
    return answer;
  }
}
