// Signing in with a token, which is sent once and not stored.
import { t } from "../shared/language.js";
import { alertBox, field, make, replace } from "../shared/page.js";
import { ask } from "../shared/request.js";

const UNKNOWN = t(
  "This token is not known here. Check that you have copied all of it, and that it was made for this site.",
);

// The address stays unchanged, so that signing in leads to the page that was asked for.
export function signIn(root, done) {
  document.title = `${t("Sign in")} – pckv`;
  const token = make("input", {
    type: "password",
    autocomplete: "current-password",
    required: true,
    maxlength: 1024,
  });
  const said = make("div");
  const form = make(
    "form",
    { class: "card small-form", onsubmit: send },
    make("h1", {}, t("Sign in")),
    make("p", {}, t("Enter the token that you were given for this site: it takes the place of a name and a password.")),
    field(t("Token"), token),
    said,
    make("button", { class: "main" }, t("Sign in")),
    make(
      "details",
      {},
      make("summary", {}, t("How do I get a token?")),
      make(
        "p",
        {},
        t(
          "Ask the person who set up this site. There are two kinds: with one you make surveys, with the other you see results and change nothing.",
        ),
      ),
      make(
        "p",
        {},
        t("If you set it up yourself: “pckv serve” shows the first token once, when it starts for the first time."),
        " ",
        t("To make another one, run “pckv token new” where the collector runs; “pckv token new --help” says how."),
      ),
    ),
  );
  replace(root, form);
  token.focus();

  async function send(event) {
    event.preventDefault();
    try {
      const { role } = await ask("POST", "/session", { body: { token: token.value } });
      done(role);
    } catch (error) {
      token.value = "";
      replace(said, alertBox(error.status === 401 ? UNKNOWN : error.message));
      token.focus();
    }
  }
}
