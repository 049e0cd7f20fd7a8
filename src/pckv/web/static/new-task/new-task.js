// A new task: the form, the plan for what it says so far, a draft that survives, a preview, and what comes afterwards.
import { valuesOfFound } from "./discovery-fields.js";
import { dropDraft, keepDraft, keepPreview, loadDraft } from "../shared/draft.js";
import { invitationLinks } from "../shared/invitations.js";
import { alertBox, announce, ask, debounced, make, plural, replace } from "../shared/page.js";
import { planSection } from "./plan.js";
import { TaskForm, valuesOfSeries, valuesOfTask } from "./task-form.js";

const PLAN_DELAY = 300,
  UNKEPT =
    "This browser cannot keep the draft: it stores nothing, or the draft is too large. Without being created, it is lost when you leave this page.";

// `from` is the task that this one is another run of, or `series` the series; it measures what a `discovery` found.
export function newTask(root, { from, series, discovery }) {
  document.title = "New task – pckv";
  const plan = planSection(() => form.fields.pairs.problem.focus()),
    keep = debounced(() => !stopped && keepOrDrop(), PLAN_DELAY),
    follow = debounced(() => !stopped && showPlan(), PLAN_DELAY);
  let stopped = false;
  const form = new TaskForm(() => {
    keep();
    follow();
    label();
  });
  const notice = make("div"),
    unkept = make("p", { class: "note", role: "status", hidden: true }, UNKEPT),
    said = make("div");
  const create = make("button", { class: "main" }),
    look = make("button", { type: "button", onclick: preview }, "Preview as participant");
  replace(
    root,
    make("h1", {}, "New task"),
    notice,
    unkept,
    make(
      "div",
      { class: "planner" },
      make(
        "form",
        { onsubmit: send, novalidate: true },
        form.element,
        said,
        make("div", { class: "buttons" }, create, look),
      ),
      plan.element,
    ),
  );
  label();
  begin();

  // The page for participants is not for series, which only apps take part in.
  function label() {
    create.textContent = form.repeat.isOn ? "Create the series" : "Create the task";
    look.hidden = form.repeat.isOn;
  }

  async function begin() {
    if (from || series || discovery) await copy();
    else restore();
    showPlan();
    form.fields.name.input.focus({ preventScroll: true });
  }

  function restore() {
    form.fill(loadDraft() ?? {});
    if (!form.isUntouched()) tell("Draft restored.");
  }

  async function copy() {
    try {
      const { values, words } = await (discovery ? found() : series ? copiedSeries() : copiedTask());
      form.fill(values);
      tell(words);
      // From here on it is a draft as any other, which a reload restores.
      keepDraft(form.values());
      history.replaceState(null, "", "#/new");
    } catch (error) {
      replace(notice, alertBox(`The ${series ? "series" : "task"} cannot be copied. ${error.message}`));
    }
  }

  async function copiedTask() {
    const path = `/tasks/${encodeURIComponent(from)}`,
      [task, { target }] = await Promise.all([ask("GET", path), ask("GET", `${path}/overview`)]);
    return { words: filledIn(task), values: valuesOfTask(task, target) };
  }

  async function copiedSeries() {
    const contract = await ask("GET", `/series/${encodeURIComponent(series)}`);
    return { words: filledIn(contract.task), values: valuesOfSeries(contract) };
  }

  const filledIn = ({ name, kind }) =>
    `Filled in from “${name}”.${kind === "discovery" ? "" : " How many pairs people hold is not part of a task: see “Advanced”."}`;

  async function found() {
    const path = `/tasks/${encodeURIComponent(discovery)}`,
      [task, { keys }] = await Promise.all([ask("GET", path), ask("GET", `${path}/discovery`)]),
      cut = keys.filter((key) => key.is_cut).length,
      complete = cut
        ? ` ${plural(cut, "key")} may go on: complete ${cut === 1 ? "it" : "them"} if you can.`
        : "";
    return {
      values: valuesOfFound(task, keys),
      words: `Filled in with ${plural(keys.length, "key")} that “${task.name}” found; everything else counts as one more key.${complete} Whoever took part there spends more ε here.`,
    };
  }

  function tell(text) {
    replace(
      notice,
      make(
        "p",
        { class: "note", role: "status" },
        `${text} `,
        make("button", { type: "button", class: "plain", onclick: afresh }, "Start afresh"),
      ),
    );
  }

  function afresh() {
    form.fill(JSON.parse(form.defaults));
    dropDraft();
    replace(notice);
    form.fields.name.input.focus();
    announce("The form is empty again.");
  }

  function keepOrDrop() {
    if (form.isUntouched()) return dropDraft();
    unkept.hidden = keepDraft(form.values());
  }

  function showPlan() {
    const inputs = form.planInputs();
    if (inputs.missing) plan.wait(inputs.missing);
    else plan.show(inputs, form.repeat.perRound(Number(form.fields.users.value)));
  }

  // Whether nothing is wrong; otherwise it is told where it is, and the first field gets the focus.
  function isReady() {
    const wrong = form.validate();
    wrong?.problem.focus();
    return !wrong;
  }

  // Returns what the work returns, or undefined if the collector refuses; it may name the field.
  async function attempt(work) {
    create.disabled = look.disabled = true;
    replace(said, make("p", { role: "status" }, "Planning the task …"));
    try {
      const result = await work();
      replace(said);
      return result;
    } catch (error) {
      const field = form.fields[error.field];
      replace(said, field ? null : alertBox(error.message));
      field?.problem.show(error.detail);
      field?.problem.focus();
    } finally {
      create.disabled = look.disabled = false;
    }
  }

  function send(event) {
    event.preventDefault();
    if (!isReady()) return;
    if (form.repeat.isOn) attempt(createSeries);
    else attempt(createTask);
  }

  // The collector plans the task of all rounds; the days and the panels are the form's.
  async function createSeries() {
    const { task } = await ask("POST", "/tasks/new?preview=true", { body: form.body() }),
      { id, warning } = await ask("POST", "/series", { body: form.repeat.contract(JSON.parse(task)) });
    stopped = true;
    dropDraft();
    if (warning) showWarning(id, warning);
    else location.hash = `#/series/${id}`;
    announce("The series is created.");
  }

  function showWarning(id, warning) {
    showCreated(
      form.fields.name.value,
      make("p", { class: "note" }, warning),
      `#/series/${id}`,
      "Open the page of the series",
    );
  }

  async function createTask() {
    const { users, access, invitations, name } = form.fields;
    const { id } = await ask("POST", "/tasks/new", { body: form.body() });
    // The task exists. Whoever tries again after a failure from here on finds the same one.
    await ask("PATCH", `/tasks/${id}`, { body: { target: Number(users.value) } });
    const invited = access.value === "invitations";
    const made = invited ? await ask("POST", `/tasks/${id}/invitations?count=${invitations.value}`) : null;
    stopped = true;
    dropDraft();
    if (invited) showInvitations(id, name.value, made.invitations);
    else location.hash = `#/tasks/${id}`;
    announce("The task is created.");
  }

  // They are shown this once, and therefore before anything else.
  function showInvitations(id, name, invitations) {
    const links = make("section", { "aria-label": "Invitations" }, ...invitationLinks(id, invitations));
    showCreated(name, links, `#/tasks/${id}`, "Open the page of the task");
  }

  function showCreated(name, content, href, words) {
    plan.stop();
    const title = make("h1", { tabindex: "-1" }, `“${name}” is created`);
    replace(root, title, content, make("p", {}, make("a", { href }, words)));
    title.focus();
  }

  async function preview() {
    if (!isReady()) return;
    // A tab that is opened only after the answer would be blocked.
    const tab = window.open("", "_blank");
    const kept = await attempt(async () => {
      const { task } = await ask("POST", "/tasks/new?preview=true", { body: form.body() });
      keepPreview(task);
      return true;
    });
    if (kept) tab.location = "/join/preview";
    else tab?.close();
  }

  return () => {
    if (!stopped) keepOrDrop();
    stopped = true;
    plan.stop();
  };
}
