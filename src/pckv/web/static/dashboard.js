// The dashboard: who is signed in, and which view the address asks for.
import { readAddress } from "./address.js";
import { forget } from "./connection.js";
import { dropAll } from "./draft.js";
import { announce, ask, make, replace } from "./page.js";
import { keyView } from "./key-page.js";
import { newTask } from "./new-task.js";
import { signIn } from "./sign-in.js";
import { taskView } from "./task.js";
import { tasksView } from "./tasks.js";

const main = document.getElementById("main"),
  menu = document.getElementById("menu");
const SESSION_OVER = "Your session is over. Sign in again to go on where you were.";
let role = null,
  stop = () => {};

// A view fills the page and may return a function that stops its timers and requests.
function open(view, ...values) {
  stop();
  forget();
  const root = make("div", { class: "view" });
  replace(main, root);
  stop = view(root, ...values) ?? (() => {});
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
  if (place === "tasks" && part === "keys") open(keyView, id, key, settings);
  else if (place === "tasks") open(taskView, id, role);
  else if (place === "new" && role === "administrator") open(newTask, settings.from);
  else open(tasksView, role);
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
