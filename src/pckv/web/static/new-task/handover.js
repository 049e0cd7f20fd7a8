// Between the form and a mixed task: its file goes to the mixer, whose operator accepts it and hands over a token; then
// the collector asks the mixer, and takes the task.
import { TextField } from "../shared/form-fields.js";
import { alertBox, ask, make, replace, save } from "../shared/page.js";
import { snippet } from "../shared/snippet.js";

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
    const { name, noun, text, url, operator, file } = made,
      fileName = `${noun}.json`;
    this.title = make("h1", { tabindex: "-1" }, `“${name}” goes to its mixer first`);
    this.token = new TextField(
      "Recipient's token",
      make("input", { type: "password", autocomplete: "off", spellcheck: "false" }),
      {
        hint: `The mixer shows it once, when the ${noun} is accepted. With it this collector fetches the batch; it is kept beside the private key.`,
        missing: "enter the token that the mixer's operator gave you",
      },
    );
    this.said = make("div");
    this.button = make("button", { class: "main" }, `Ask the mixer and create the ${noun}`);
    const download = () => save(new Blob([text], { type: "application/json" }), fileName);
    this.element = make(
      "form",
      { class: "handover", novalidate: true, onsubmit: (event) => this.send(event) },
      step(
        1,
        `Send the file of the ${noun} to ${operator}`,
        make(
          "p",
          {},
          "It has all that the form says, the batch, the claim, and the public key that reports are sealed for. Nothing in it is secret.",
        ),
        make("p", {}, make("button", { type: "button", onclick: download }, `Download ${fileName}`)),
        make(
          "p",
          {},
          `${operator} computes the claim again, accepts the ${noun} with this command, and gives you the token that it prints:`,
        ),
        snippet(
          "Command of the mixer's operator",
          `pckv mix accept ${fileName} --url ${url} --token-file operator.token`,
        ),
      ),
      step(
        2,
        "Enter the token that you get back",
        this.token.element,
        make(
          "p",
          { class: "note" },
          `The private key is the file ${file} in this collector's folder of keys, and nowhere else. Without it no report can be opened: keep a copy in a place of its own until the batch is in.`,
        ),
      ),
      this.said,
      make(
        "div",
        { class: "buttons" },
        this.button,
        make("button", { type: "button", onclick: change }, "Change the form"),
      ),
      make(
        "p",
        { class: "aside" },
        `${kept ? `This browser keeps the file until the ${noun} is created.` : `This browser cannot keep the file: leave this page open until the ${noun} is created.`} A changed form makes another file; if the mixer has accepted this one, that needs another name.`,
      ),
    );
  }

  async send(event) {
    event.preventDefault();
    if (!this.token.validate()) {
      this.token.problem.focus();
      return;
    }
    this.button.disabled = true;
    replace(this.said, make("p", { role: "status" }, "Asking the mixer …"));
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
