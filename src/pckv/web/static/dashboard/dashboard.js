// The dashboard: who is signed in, and which view the address asks for.
import { readAddress } from "../shared/address.js";
import { forget } from "../shared/connection.js";
import { dropAll } from "../shared/draft.js";
import { alertBox, announce, ask, make, replace } from "../shared/page.js";
import { signIn } from "./sign-in.js";

const main = document.getElementById("main"),
  menu = document.getElementById("menu");
const SESSION_OVER = "Your session is over. Sign in again to go on where you were.";
const NOT_LOADED = "The collector cannot be reached, so that this page is not complete.";
let role = null,
  opened = 0,
  stop = () => {};

// A view fills the page and may return a function that stops its timers and requests.
function open(view, ...values) {
  stop();
  forget();
  opened++;
  const root = make("div", { class: "view" });
  replace(main, root);
  stop = view(root, ...values) ?? (() => {});
}

async function loadViews() {
  const modules = [
    import("../results/key-page.js"),
    import("../new-task/new-task.js"),
    import("./series.js"),
    import("./task.js"),
    import("./tasks.js"),
  ];
  return Object.assign({}, ...(await Promise.all(modules)));
}

// All views are loaded at sign-in, so that a connection that is lost later stops none of them.
// Only what was asked for last is shown.
async function load(name, ...values) {
  open((root) => replace(root, make("p", { class: "computing" }, "Loading …")));
  const number = opened;
  const views = await loadViews().catch((error) => {
    console.error(error);
    return { [name]: notLoaded };
  });
  if (number === opened) open(views[name], ...values);
}

// A browser does not ask again for a script that it missed, unless the whole page is loaded again.
function notLoaded(root) {
  const again = make("button", { type: "button", onclick: () => location.reload() }, "Try again");
  replace(root, make("h1", {}, "Connection lost"), alertBox(NOT_LOADED), again);
}

function readsOnly(root) {
  document.title = "New task – pckv";
  replace(
    root,
    make("h1", {}, "New task"),
    make(
      "p",
      { class: "note" },
      "You are signed in with an analyst's token, which reads results and changes nothing. Only the administrator's token makes tasks: sign out, and sign in with that one.",
    ),
    make("p", {}, make("a", { href: "#/" }, "All tasks")),
  );
}

function show() {
  menu.hidden = role === null;
  document.getElementById("new-link").hidden = role !== "administrator";
  if (role === null) return open(signIn, signedIn);
  const {
    parts: [place = "", id = "", part, key = ""],
    settings,
  } = readAddress();
  for (const link of menu.querySelectorAll("a")) {
    if (link.hash === `#/${place}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (place === "tasks" && part === "keys") load("keyView", id, key, settings);
  else if (place === "tasks") load("taskView", id, role);
  else if (place === "series") load("seriesView", id, role);
  else if (place !== "new") load("tasksView", role);
  else if (role === "administrator") load("newTask", settings);
  else open(readsOnly);
}

function signedIn(newRole) {
  role = newRole;
  show();
  main.focus();
}

document.getElementById("sign-out").addEventListener("click", async () => {
  stop();
  dropAll();
  await ask("DELETE", "/session").catch(() => {});
  role = null;
  show();
  announce("Signed out.");
});

document.addEventListener("signed-out", () => {
  if (role === null) return;
  role = null;
  show();
  main.prepend(make("p", { class: "note" }, SESSION_OVER));
  announce(SESSION_OVER);
});

addEventListener("hashchange", () => {
  show();
  main.focus();
});

// Without an answer the page asks for a token, and signing in says what is wrong.
({ role } = await ask("GET", "/session").catch(() => ({ role: null })));
show();
