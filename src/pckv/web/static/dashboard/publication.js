// Whether anyone with the link may see the results.
import { alertBox, announce, ask, make, replace } from "../shared/page.js";
import { copyButton } from "../shared/snippet.js";

const WHAT =
  "A read-only page with the question, the description, the number of reports, and the estimates with their ranges. It shows no single reports, and nothing can be changed there.";

export function publicationSection({ id }, changed) {
  const link = `${location.origin}/results/${id}`;
  const box = make("input", { type: "checkbox", role: "switch", id: "public-results", onchange: save }),
    problem = make("div"),
    state = make("p");
  const address = make(
    "p",
    {},
    make("a", { href: link }, link),
    " ",
    copyButton("Copy the link to the results", link, "Copy"),
  );
  let shown;

  function show({ public_results: now }) {
    if (now === shown) return;
    shown = box.checked = now;
    address.hidden = !now;
    state.textContent = now
      ? "On: everyone with this link sees the results without signing in, at most a minute old. Participants can find it, since both links end with the same id."
      : "Off: only people who sign in here see the results.";
  }

  async function save() {
    try {
      show(await ask("PATCH", `/tasks/${id}`, { body: { public_results: box.checked } }));
      replace(problem);
      announce(state.textContent);
      changed();
    } catch (error) {
      box.checked = shown;
      replace(problem, alertBox(error.message));
    }
  }

  const element = make(
    "section",
    { "aria-label": "Publication" },
    make("h2", {}, "Publication"),
    make("div", { class: "choices" }, make("label", {}, box, "Public results page")),
    make("p", {}, WHAT),
    state,
    address,
    problem,
  );
  return { element, show };
}
