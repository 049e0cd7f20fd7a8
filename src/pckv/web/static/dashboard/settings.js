// What can be changed of a survey that is published: how many responses are expected, and its end.
import { day, t } from "../shared/language.js";
import { announce, alertBox, askingDialog, confirmButton, field, make, replace } from "../shared/page.js";
import { ask } from "../shared/request.js";
import { isMixed, mixerDecides } from "./batch.js";
import { erasureSaid, showDeleted } from "./deletion.js";

export const section = (title, ...content) =>
  make("section", { "aria-label": title }, make("h2", {}, title), ...content);

// `stop` ends the page when the survey is deleted.
export function settingsTab({ root, path, refresh, stop }) {
  const editor = expectedEditor(refresh),
    fixed = make("div"),
    end = make("div");
  const element = make("div", {}, fixed, editor.element, end);
  let shown = "";

  function show(task) {
    const { phase, reopen_until: until, name } = task,
      text = JSON.stringify([phase, until, name]);
    editor.show(task);
    if (text === shown) return;
    shown = text;
    replace(fixed, fixedSection(task));
    replace(end, section(t("End"), ...closing(task, path, refresh), deletion(task, { root, path, stop })));
  }

  return { element, show };
}

// A round is part of its series, and copied with it.
const fixedSection = ({ id, series }) => (series ? fixedWithSeries(series) : whatIsFixed(`#/new?from=${id}`));

const fixed = (text, href, words) =>
  section(
    t("What is fixed"),
    make("p", {}, text),
    make("div", { class: "buttons" }, make("a", { class: "button", href }, words)),
  );

const fixedWithSeries = ({ id }) =>
  fixed(
    t(
      "The questions, the answer options, the privacy level and the days of this round are those of its repeated survey, and cannot be changed: those who have answered agreed to exactly these. To change something, make a copy of the repeated survey and publish that.",
    ),
    `#/series/${id}/settings`,
    t("To the settings of the repeated survey"),
  );

export const whatIsFixed = (copying) =>
  fixed(
    t(
      "Since this survey was published, its questions, its answer options, its privacy level and its last day cannot be changed: those who have answered agreed to exactly these. To change something, make a copy and publish that.",
    ),
    copying,
    t("Duplicate and change"),
  );

function closing(task, path, refresh) {
  const { phase, mixer, closes, series } = task;
  if (mixer && phase !== "closed") return [mixerDecides(mixer, closes)];
  const dialog = {
    title: series ? t("Close this round?") : t("Close this survey?"),
    text: whatClosingDoes(task),
    label: series ? t("Close the round") : t("Close the survey"),
  };
  return closeOrReopen(task, dialog, path, refresh);
}

function whatClosingDoes({ name, closes, series }) {
  if (series) {
    return t(
      "“{name}”: this round takes no more responses from now on, and cannot be opened again. Its results stay. Later rounds open as planned.",
      { name },
    );
  }
  return closes
    ? t(
        "“{name}”: no responses are taken from now on. The results stay. You can undo this for seven days, at most until its last day.",
        { name },
      )
    : t("“{name}”: no responses are taken from now on. The results stay. You can undo this for seven days.", { name });
}

// What ends a survey, or a repeated one, and what undoes that as long as it can be.
export function closeOrReopen({ phase, reopen_until: until }, dialog, path, refresh) {
  if (phase !== "closed") {
    const button = confirmButton({
      kind: "close",
      ...dialog,
      work: async () => {
        await ask("POST", `${path}/close`);
        announce(t("The survey is closed."));
        refresh();
      },
    });
    return [make("div", { class: "buttons" }, button)];
  }
  if (!until) return [];
  const said = make("div"),
    button = make("button", { type: "button", onclick: reopen }, t("Open again"));
  async function reopen() {
    try {
      await ask("POST", `${path}/reopen`);
      announce(t("The survey is open again."));
      refresh();
    } catch (error) {
      replace(said, alertBox(error.message));
    }
  }
  return [
    make("p", {}, t("Until {day} you can open this survey again.", { day: day(until) })),
    said,
    make("div", { class: "buttons" }, button),
  ];
}

function deletion({ name }, { root, path, stop }) {
  const now = make("input", { type: "checkbox", onchange: say }),
    label = make("span"),
    text = make("span");
  const dialog = askingDialog({
    label,
    kind: "danger",
    title: t("Delete this survey?"),
    text,
    question: [
      make("div", { class: "choices" }, make("label", {}, now, t("Delete now, for good: it cannot be restored"))),
    ],
    work: remove,
  });
  say();

  function say() {
    label.textContent = now.checked ? t("Delete now") : t("Delete");
    text.textContent = now.checked
      ? t(
          "“{name}”: the survey, all its responses and its results are deleted for good. Downloaded copies are not deleted. The same survey cannot be made again.",
          { name },
        )
      : t(
          "“{name}”: no more responses are taken, and the results are not shown. For seven days you can restore it from the list of surveys; then it is deleted for good, with all responses. Downloaded copies are not deleted.",
          { name },
        );
  }

  async function remove() {
    const address = now.checked ? `${path}?now=true` : path,
      again = () => ask("DELETE", address),
      answer = await again();
    stop();
    if (now.checked) {
      showDeleted(root, t("“{name}” is deleted", { name }), ...erasureSaid(name, answer, again));
    } else {
      const kept = t("Until {day} you can restore it: it stands under “Deleted” in the list of surveys.", {
        day: day(answer.until),
      });
      showDeleted(root, t("“{name}” is deleted", { name }), make("p", { class: "note" }, kept));
    }
    announce(t("The survey is deleted."));
  }

  const button = make(
    "button",
    { type: "button", class: "danger", onclick: () => dialog.showModal() },
    `${t("Delete")} …`,
  );
  return make("div", { class: "buttons" }, button, dialog);
}

// A button that opens a small form in its place.
function expectedEditor(changed) {
  const number = make("input", { type: "number", min: 1, max: 1e15, step: 1, inputmode: "numeric" }),
    problem = make("div"),
    open = make("button", { type: "button", onclick: () => edit(true) });
  const form = make(
    "form",
    { hidden: true, novalidate: true, onsubmit: save },
    field(t("Number of responses"), number, t("Leave it empty if you do not know.")),
    problem,
    make(
      "div",
      { class: "buttons" },
      make("button", { class: "main" }, t("Save")),
      make("button", { type: "button", onclick: () => edit(false) }, t("Cancel")),
    ),
  );
  const element = section(t("Responses expected"), open, form);
  let task;

  function show(overview) {
    task = overview;
    // Of a mixed survey, the batch says how many.
    element.hidden = task.phase === "closed" || isMixed(task);
    open.textContent = task.target === null ? t("Say how many you expect") : t("Change the number");
  }

  function edit(now) {
    form.hidden = !now;
    open.hidden = now;
    number.value = task.target ?? "";
    replace(problem);
    (now ? number : open).focus();
  }

  async function save(event) {
    event.preventDefault();
    if (!number.validity.valid) {
      return replace(problem, alertBox(t("This is a whole number of responses, at least 1.")));
    }
    try {
      await ask("PATCH", `/tasks/${task.id}`, { body: { target: number.value ? Number(number.value) : null } });
      edit(false);
      announce(t("The number is saved."));
      changed();
    } catch (error) {
      replace(problem, alertBox(error.message));
    }
  }

  return { element, show };
}
