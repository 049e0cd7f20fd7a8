// Signing in with a token, which is sent once and not stored.
import { alertBox, ask, field, make, replace } from "../shared/page.js";

const UNKNOWN =
  "This token is not known here. Check that you have copied all of it, and that it is a token of this collector.";

// The address stays unchanged, so that signing in leads to the page that was asked for.
export function signIn(root, done) {
  document.title = "Sign in – pckv";
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
    make("h1", {}, "Sign in"),
    make("p", {}, "Use the administrator's token, or an analyst's, which shows estimates and changes nothing."),
    field("Token", token),
    said,
    make("button", { class: "main" }, "Sign in"),
    make(
      "details",
      {},
      make("summary", {}, "How do I get a token?"),
      make(
        "p",
        {},
        make("code", {}, "pckv serve"),
        " shows the administrator's token once, when it starts for the first time. To make another one, run ",
        make("code", {}, "pckv token new"),
        " where the collector runs; ",
        make("code", {}, "pckv token new --help"),
        " says how.",
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
