// The dashboard: who is signed in, and which view the address asks for.
import { readAddress } from "../shared/address.js";
import { forget } from "../shared/connection.js";
import { dropAll } from "../shared/draft.js";
import { t } from "../shared/language.js";
import { alertBox, announce, make, replace } from "../shared/page.js";
import { isHeld, leaving, release } from "../shared/unsaved.js";
import { ask } from "../shared/request.js";
import { showHeader, showMenu } from "./header.js";
import { signIn } from "./sign-in.js";

const main = document.getElementById("main");
const SESSION_OVER = t("Your session is over. Sign in again to go on where you were.");
const SESSION_OVER_WITH_LINKS = t("Your session is over. Save the links that are shown, and then sign in again.");
const NOT_LOADED = t("The collector cannot be reached, so that this page is not complete.");
// Other views are loaded once this one had time for its numbers.
const OTHERS_AFTER_MILLISECONDS = 1500;
let role = null,
  opened = 0,
  shown = location.hash,
  stop = () => {};

// A view fills the page and may return a function that stops its timers and requests; `stop.move` takes it to another
// address of its own, and returns whether it is one.
function open(view, ...values) {
  stop();
  forget();
  opened++;
  const root = make("div", { class: "view" });
  replace(main, root);
  stop = view(root, ...values) ?? (() => {});
}

const VIEWS = {
  keyView: () => import("../results/key-page.js"),
  newTask: () => import("../new-task/new-task.js"),
  organisationView: () => import("./organisation.js"),
  seriesView: () => import("./series.js"),
  taskView: () => import("./task.js"),
  tasksView: () => import("./tasks.js"),
};

// The view that is wanted first, and then all others, so that a connection that is lost later stops none of them.
async function loadViews(name) {
  const wanted = await VIEWS[name]();
  setTimeout(() => Promise.all(Object.values(VIEWS).map((each) => each())).catch(() => {}), OTHERS_AFTER_MILLISECONDS);
  return wanted;
}

// Only what was asked for last is shown.
async function load(name, ...values) {
  open((root) => replace(root, make("p", { class: "computing" }, t("Loading …"))));
  const number = opened;
  const views = await loadViews(name).catch((error) => {
    console.error(error);
    return { [name]: notLoaded };
  });
  if (number === opened) open(views[name], ...values);
}

// A browser does not ask again for a script that it missed, unless the whole page is loaded again.
function notLoaded(root) {
  const again = make("button", { type: "button", onclick: () => location.reload() }, t("Try again"));
  replace(root, make("h1", {}, t("Connection lost")), alertBox(NOT_LOADED), again);
}

function readsOnly(root) {
  document.title = `${t("Not with this token")} – pckv`;
  replace(
    root,
    make("h1", {}, t("Not with this token")),
    make(
      "p",
      { class: "note" },
      t(
        "The token that you signed in with shows results and changes nothing. To make surveys, sign out, and sign in with a token for that: ask the person who set up this site.",
      ),
    ),
    make("p", {}, make("a", { href: "#/" }, t("All surveys"))),
  );
}

function show() {
  const {
    parts: [place = "", id = "", part = "", key = ""],
    settings,
  } = readAddress();
  showMenu(role, place);
  if (role === null) return open(signIn, signedIn);
  if (stop.move?.(place, id, part)) return;
  if (place === "tasks" && part === "keys") load("keyView", id, key, settings);
  else if (place === "tasks") load("taskView", id, role, part);
  else if (place === "series") load("seriesView", id, role, part);
  else if (place !== "new" && place !== "organisation") load("tasksView", role);
  else if (role !== "administrator") open(readsOnly);
  else if (place === "new") load("newTask", settings);
  else load("organisationView");
}

function signedIn(newRole) {
  role = newRole;
  show();
  main.focus();
}

async function signOut() {
  stop();
  release();
  dropAll();
  await ask("DELETE", "/session").catch(() => {});
  role = null;
  show();
  announce(t("Signed out."));
}

document.addEventListener("signed-out", () => {
  if (role === null) return;
  role = null;
  if (isHeld()) return keepLinks();
  show();
  main.prepend(make("p", { class: "note" }, SESSION_OVER));
  announce(SESSION_OVER);
});

// What is shown only once stays until those who look at it leave it.
function keepLinks() {
  stop();
  const again = make("button", { type: "button", onclick: () => leaving(show) }, t("Sign in"));
  main.prepend(make("div", { class: "note" }, make("p", {}, SESSION_OVER_WITH_LINKS), again));
  announce(SESSION_OVER_WITH_LINKS);
}

function moved() {
  shown = location.hash;
  show();
  main.focus();
}

// Views of the same survey are kept, and with them what is shown only once.
const isSameSurvey = (one, other) => one.split(/[/?]/u).slice(1, 3).join() === other.split(/[/?]/u).slice(1, 3).join();

addEventListener("hashchange", () => {
  const wanted = location.hash;
  if (wanted === shown) return;
  if (role !== null && isSameSurvey(wanted, shown) && !wanted.includes("/keys/")) return moved();
  leaving(
    () => {
      if (location.hash === wanted) moved();
      else location.hash = wanted;
    },
    () => history.replaceState(null, "", shown || "#/"),
  );
});

showHeader(signOut);
// Without an answer the page asks for a token, and signing in says what is wrong.
({ role } = await ask("GET", "/session").catch(() => ({ role: null })));
show();
