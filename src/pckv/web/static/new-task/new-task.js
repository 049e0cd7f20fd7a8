// A new task: the form, the plan for what it says so far, a draft that survives, a preview, and what follows.
import {
  dropDraft,
  dropHandover,
  keepDraft,
  keepHandover,
  keepPreview,
  loadDraft,
  loadHandover,
} from "../shared/draft.js";
import { invitationLinks } from "../shared/invitations.js";
import { alertBox, announce, ask, debounced, make, plural, replace } from "../shared/page.js";
import { isDiscovery } from "../shared/task-words.js";
import { valuesOfFound } from "./discovery-fields.js";
import { Handover } from "./handover.js";
import { PlanSection } from "./plan.js";
import { TaskForm, valuesOfSeries, valuesOfTask } from "./task-form.js";

const PLAN_DELAY = 300,
  UNKEPT =
    "This browser cannot keep the draft: it stores nothing, or the draft is too large. Without being created, it is lost when you leave this page.";

// `from` is the task, or `series` the series, that this one repeats; it measures what a `discovery` found.
export function newTask(root, { from, series, discovery }) {
  document.title = "New task – pckv";
  const view = new NewTask(root);
  view.begin({ from, series, discovery });
  return () => view.stop();
}

const filledIn = (task) =>
  `Filled in from “${task.name}”.${isDiscovery(task) ? "" : " How many of the keys people typically hold is not part of a task: say it again."}`;

async function copiedTask(id) {
  const path = `/tasks/${encodeURIComponent(id)}`,
    [task, { target }] = await Promise.all([ask("GET", path), ask("GET", `${path}/overview`)]);
  return { words: filledIn(task), values: valuesOfTask(task, target) };
}

async function copiedSeries(id) {
  const contract = await ask("GET", `/series/${encodeURIComponent(id)}`);
  return { words: filledIn(contract.task), values: valuesOfSeries(contract) };
}

async function foundKeys(id) {
  const path = `/tasks/${encodeURIComponent(id)}`,
    [task, { keys }] = await Promise.all([ask("GET", path), ask("GET", `${path}/discovery`)]),
    cut = keys.filter((key) => key.is_cut).length,
    complete = cut ? ` ${plural(cut, "key")} may go on: complete ${cut === 1 ? "it" : "them"} if you can.` : "";
  return {
    values: valuesOfFound(task, keys),
    words: `Filled in with ${plural(keys.length, "key")} that “${task.name}” found; everything else counts as one more key.${complete} People who took part there spend more ε here.`,
  };
}

class NewTask {
  constructor(root) {
    Object.assign(this, { root, stopped: false });
    const keep = debounced(() => !this.stopped && this.keepOrDrop(), PLAN_DELAY),
      follow = debounced(() => !this.stopped && this.showPlan(), PLAN_DELAY);
    this.plan = new PlanSection(() => this.form.held.used()[0].problem.focus());
    this.form = new TaskForm(() => {
      keep();
      follow();
      this.label();
    });
    this.notice = make("div");
    this.unkept = make("p", { class: "note", role: "status", hidden: true }, UNKEPT);
    this.said = make("div");
    this.create = make("button", { class: "main" });
    this.look = make("button", { type: "button", onclick: () => this.preview() }, "Preview as participant");
    const form = make(
      "form",
      { onsubmit: (event) => this.send(event), novalidate: true },
      this.form.element,
      this.said,
      make("div", { class: "buttons" }, this.create, this.look),
    );
    this.planner = make("div", { class: "planner" }, form, this.plan.element);
    this.showForm();
    this.label();
  }

  showForm() {
    replace(this.root, make("h1", {}, "New task"), this.notice, this.unkept, this.planner);
  }

  // The page for participants is not for series, which only apps take part in.
  label() {
    const plain = this.form.repeat.isOn ? "Create the series" : "Create the task";
    this.create.textContent = this.form.mixing.isOn ? "Make the file for the mixer" : plain;
    this.look.hidden = this.form.repeat.isOn;
  }

  async begin({ from, series, discovery }) {
    if (discovery) await this.copy(foundKeys(discovery), "task");
    else if (series) await this.copy(copiedSeries(series), "series");
    else if (from) await this.copy(copiedTask(from), "task");
    else this.restore();
    const made = !(from || series || discovery) && loadHandover();
    if (made) {
      this.showHandover(made);
      return;
    }
    this.showPlan();
    this.form.fields.name.input.focus({ preventScroll: true });
  }

  restore() {
    this.form.fill(loadDraft() ?? {});
    if (!this.form.isUntouched()) this.tell("Draft restored.");
  }

  async copy(source, noun) {
    try {
      const { values, words } = await source;
      this.form.fill(values);
      this.tell(words);
      // From here on it is a draft as any other, which a reload restores.
      keepDraft(this.form.values());
      history.replaceState(null, "", "#/new");
    } catch (error) {
      replace(this.notice, alertBox(`The ${noun} cannot be copied. ${error.message}`));
    }
  }

  tell(text) {
    const afresh = make(
      "button",
      { type: "button", class: "plain", onclick: () => this.startAfresh() },
      "Start afresh",
    );
    replace(this.notice, make("p", { class: "note", role: "status" }, `${text} `, afresh));
  }

  startAfresh() {
    this.form.fill(JSON.parse(this.form.defaults));
    dropDraft();
    replace(this.notice);
    this.form.fields.name.input.focus();
    announce("The form is empty again.");
  }

  keepOrDrop() {
    if (this.form.isUntouched()) dropDraft();
    else this.unkept.hidden = keepDraft(this.form.values());
  }

  showPlan() {
    const inputs = this.form.planInputs();
    if (inputs.missing) this.plan.wait(inputs.missing);
    else if (this.form.mixing.isOn) this.plan.show(inputs);
    else this.plan.show(inputs, this.form.repeat.perRound(Number(this.form.fields.users.value)));
  }

  // Whether nothing is wrong; otherwise it is told where it is, and the first field gets the focus.
  isReady() {
    const wrong = this.form.validate();
    wrong?.problem.focus();
    return !wrong;
  }

  // Returns what the work returns, or undefined if the collector refuses; it may name the field.
  async attempt(work) {
    const { create, look, said, form } = this;
    create.disabled = look.disabled = true;
    replace(said, make("p", { role: "status" }, "Planning the task …"));
    try {
      const result = await work();
      replace(said);
      return result;
    } catch (error) {
      const field = form.fieldNamed(error.field);
      replace(said, field ? null : alertBox(error.message));
      field?.problem.show(error.detail);
      field?.problem.focus();
    } finally {
      create.disabled = look.disabled = false;
    }
  }

  send(event) {
    event.preventDefault();
    if (!this.isReady()) return;
    this.attempt(() => {
      if (this.form.mixing.isOn) return this.makeFile();
      return this.form.repeat.isOn ? this.createSeries() : this.createTask();
    });
  }

  planned(key = {}) {
    return ask("POST", "/tasks/new?preview=true", { body: { ...this.form.body(), ...key } });
  }

  // A mixed task has a key of its own, which is made once nothing else is wrong.
  async makeFile() {
    const { form } = this;
    await this.planned();
    const { key, file } = await ask("POST", "/mixer-keys"),
      { task } = await this.planned({ recipient_key: key }),
      isSeries = form.repeat.isOn,
      value = (name) => form.fields[name].value;
    const made = {
      noun: isSeries ? "series" : "task",
      text: isSeries ? JSON.stringify(form.repeat.contract(JSON.parse(task))) : task,
      key,
      file,
      name: value("name"),
      url: value("mixer"),
      operator: value("mixer_operator"),
      target: Number(value("users")),
      values: form.values(),
    };
    this.showHandover(made, keepHandover(made));
    announce("The file for the mixer is made.");
  }

  showHandover(made, kept = true) {
    this.plan.stop();
    const handover = new Handover(made, {
      kept,
      change: () => this.changeAgain(made),
      created: (answer) => this.handedOver(made, answer),
    });
    replace(this.root, handover.title, handover.element);
    handover.title.focus();
  }

  changeAgain({ values }) {
    dropHandover();
    this.form.fill(values);
    this.showForm();
    this.showPlan();
    this.form.fields.name.input.focus();
  }

  handedOver({ name, noun, values }, { id, warning }) {
    dropHandover();
    // A draft that was begun meanwhile stays.
    if (JSON.stringify(loadDraft()) === JSON.stringify(values)) dropDraft();
    this.stopped = true;
    const href = noun === "series" ? `#/series/${id}` : `#/tasks/${id}`;
    if (warning) this.showCreated(make("p", { class: "note" }, warning), href, "Open the page of the series", name);
    else location.hash = href;
    announce(`The ${noun} is created.`);
  }

  // The collector plans the task of all rounds; the days and the panels are the form's.
  async createSeries() {
    const { task } = await this.planned(),
      { id, warning } = await ask("POST", "/series", { body: this.form.repeat.contract(JSON.parse(task)) });
    this.finish();
    if (!warning) location.hash = `#/series/${id}`;
    else this.showCreated(make("p", { class: "note" }, warning), `#/series/${id}`, "Open the page of the series");
    announce("The series is created.");
  }

  async createTask() {
    const { users, access, invitations } = this.form.fields;
    const { id } = await ask("POST", "/tasks/new", { body: this.form.body() });
    // The task exists: another attempt after a failure from here on finds the same one.
    await ask("PATCH", `/tasks/${id}`, { body: { target: Number(users.value) } });
    const invited = access.value === "invitations";
    const made = invited ? await ask("POST", `/tasks/${id}/invitations?count=${invitations.value}`) : null;
    this.finish();
    if (invited) this.showInvitations(id, made.invitations);
    else location.hash = `#/tasks/${id}`;
    announce("The task is created.");
  }

  finish() {
    this.stopped = true;
    dropDraft();
  }

  // They are shown this once, and therefore before anything else.
  showInvitations(id, invitations) {
    const links = make("section", { "aria-label": "Invitations" }, ...invitationLinks(id, invitations));
    this.showCreated(links, `#/tasks/${id}`, "Open the page of the task");
  }

  showCreated(content, href, words, name = this.form.fields.name.value) {
    this.plan.stop();
    const title = make("h1", { tabindex: "-1" }, `“${name}” is created`);
    replace(this.root, title, content, make("p", {}, make("a", { href }, words)));
    title.focus();
  }

  async preview() {
    if (!this.isReady()) return;
    // A tab that is opened only after the answer would be blocked.
    const tab = window.open("", "_blank");
    const kept = await this.attempt(async () => {
      keepPreview((await this.planned()).task);
      return true;
    });
    if (kept) tab.location = "/join/preview";
    else tab?.close();
  }

  stop() {
    if (!this.stopped) this.keepOrDrop();
    this.stopped = true;
    this.plan.stop();
  }
}
