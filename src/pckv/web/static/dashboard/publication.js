// Whether everybody with the link may see the results.
import { t } from "../shared/language.js";
import { alertBox, announce, confirmButton, make, replace } from "../shared/page.js";
import { ask } from "../shared/request.js";
import { addressNeeded, isThisComputer, publicAddress } from "../shared/public-address.js";
import { retryBox } from "../shared/retry.js";
import { copyButton } from "../shared/snippet.js";

const WHAT = t(
  "The page of the results shows the question, the description, the number of responses, and the results with their ranges. They are estimates from noisy responses, so what they can tell about a single person is limited, however few respond. Nothing can be changed there.",
);

// The page of a repeated survey leads to no results of a round.
const whoSees = ({ name, series }) =>
  series
    ? t("“{name}”: the results get a link of their own, and everybody who has it sees them.", { name })
    : t(
        "“{name}”: the results get a link of their own, and everybody who has it sees them. The page of the survey leads to them too, for those who have answered and once it is closed.",
        { name },
      );

// The link to the results, or what is to be done for one.
async function publicLink({ id }) {
  const address = await publicAddress(),
    url = `${address.url}/results/${id}`;
  if (address.url) {
    return [make("p", {}, make("a", { href: url }, url)), copyButton(t("Copy the link to the results"), url)];
  }
  const open = make("a", { class: "button", href: `/results/${id}` }, t("See it on this computer"));
  return [addressNeeded(address), isThisComputer(address) ? make("p", {}, open) : null];
}

// Administrators alone can change it: others see the link, once there is one.
export function publicationSection({ administers, changed }) {
  const problem = make("div"),
    state = make("p", { id: "publication" }),
    link = make("div"),
    buttons = make("div", { class: "buttons" });
  const element = make(
    "section",
    { "aria-label": t("Public results") },
    make("h2", {}, t("Public results")),
    state,
    link,
    make("p", { class: "soft" }, WHAT),
    problem,
    buttons,
  );
  let shown;

  function show(task) {
    const { public_results: isPublic, keys } = task;
    // Without listed answer options, a public page has nothing to show.
    element.hidden = typeof keys !== "number" || !(administers || isPublic);
    if (isPublic === shown) return;
    shown = isPublic;
    state.textContent = isPublic
      ? t("Everybody with the link to the results sees them without signing in, at most a minute old.")
      : t("Only people who sign in here see the results.");
    if (administers) replace(buttons, isPublic ? endButton(task) : beginButton(task));
    replace(link);
    if (isPublic) showLink(task);
  }

  const showLink = (task) =>
    publicLink(task)
      .catch((error) => [retryBox(error, () => showLink(task))])
      .then((content) => shown && replace(link, ...content));

  const beginButton = (task) =>
    confirmButton({
      label: t("Make the results public"),
      title: t("Make the results public?"),
      text: whoSees(task),
      work: () => save(task, true),
    });

  function endButton(task) {
    const work = () => save(task, false).catch((error) => replace(problem, alertBox(error.message)));
    return make("button", { type: "button", onclick: work }, t("Make the results private again"));
  }

  async function save(task, isPublic) {
    const { public_results: now } = await ask("PATCH", `/tasks/${task.id}`, { body: { public_results: isPublic } });
    replace(problem);
    show({ ...task, public_results: now });
    announce(state.textContent);
    changed();
  }

  return { element, show };
}
