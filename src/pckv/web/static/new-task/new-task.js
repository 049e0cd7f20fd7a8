// A new survey: from a template or a copy, in steps, with the forecast beside it, a draft on the collector, a preview
// that collects nothing, and what follows.
import { dropHandover, keepHandover, keepPreview, loadHandover, takeUnsaved } from "../shared/draft.js";
import { invitationLinks } from "../shared/invitations.js";
import { t } from "../shared/language.js";
import { alertBox, announce, debounced, make, replace } from "../shared/page.js";
import { publicAddress } from "../shared/public-address.js";
import { retryBox } from "../shared/retry.js";
import { ask } from "../shared/request.js";
import { told } from "../shared/told.js";
import { copiedSeries, copiedTask, foundKeys } from "./copies.js";
import { DraftKeeper } from "./drafts.js";
import { Handover } from "./handover.js";
import { PlanSection } from "./plan.js";
import { FIXED, publishDialog } from "./publish.js";
import { startPage } from "./start.js";
import { TaskForm } from "./task-form.js";
import { TEMPLATES, valuesOfTemplate } from "./templates.js";

const SAVE_DELAY = 800;
const NO_ADDRESS = t(
  "invitations are links, and there is no address yet that other people can open: ask those who look after the server to make it reachable by https, and to set its address as public_url",
);

// What is published is handed out next.
const sharing = (id, kind = "tasks") => `#/${kind}/${id}/share`;

// `from` is the task, or `series` the series, that this one repeats; it measures what a `discovery` found; `template` or
// `draft` is what it begins with. Without any of them a template or a draft is chosen.
export function newTask(root, settings) {
  document.title = `${t("New survey")} – pckv`;
  const made = loadHandover(),
    begins = ["from", "series", "discovery", "template", "draft"].some((name) => settings[name]),
    isHandedOver = made && (begins ? settings.draft && settings.draft === made.draft : true);
  if (!begins && !made) return startPage(root);
  const view = new NewTask(root, settings);
  view.begin(isHandedOver ? made : null);
  return () => view.stop();
}

class NewTask {
  constructor(root, settings) {
    Object.assign(this, { root, settings, stopped: false, template: settings.template });
    const save = debounced(() => !this.stopped && this.save(), SAVE_DELAY);
    this.plan = new PlanSection(
      () => this.form.held.used()[0].problem.focus(),
      (newest) => this.form.planned(newest?.plan ?? null),
    );
    this.saved = make("span", { class: "saved", role: "status" });
    this.keeper = new DraftKeeper(settings.draft, {
      told: (text) => {
        this.saved.textContent = text;
      },
      made: (id) => !this.stopped && history.replaceState(null, "", `#/new?draft=${encodeURIComponent(id)}`),
    });
    this.publish = make("button", { type: "button", class: "main", onclick: () => this.send() });
    this.look = make("button", { type: "button", onclick: () => this.preview() }, t("Preview"));
    this.said = make("div");
    this.dialog = publishDialog(() => this.create());
    const last = make("div", { class: "buttons" }, this.look, this.publish);
    this.fixed = make("p", { class: "note" }, FIXED);
    this.form = new TaskForm(
      () => {
        save();
        this.showPlan();
        this.label();
      },
      { last: [this.fixed, last], moved: () => replace(this.said) },
    );
    this.notice = make("div");
    this.showForm();
    this.label();
  }

  showForm() {
    const { steps } = this.form,
      keep = make("button", { type: "button", onclick: () => this.save() }, t("Save draft"));
    // Enter in a field neither sends anything nor leads anywhere.
    const form = make(
      "form",
      { onsubmit: (event) => event.preventDefault(), novalidate: true },
      this.form.element,
      this.said,
      make("div", { class: "buttons way" }, steps.back, steps.next, keep, this.saved),
    );
    replace(
      this.root,
      make("h1", {}, t("New survey")),
      steps.list,
      this.notice,
      make("div", { class: "planner" }, form, this.plan.element),
      this.dialog.element,
    );
  }

  label() {
    this.publish.textContent = this.form.mixing.isOn ? t("Make the file for the mixer") : t("Publish the survey");
  }

  async begin(made) {
    const { from, series, discovery, draft } = this.settings,
      unsaved = takeUnsaved(location.hash);
    if (made) return this.showHandover(made);
    if (unsaved) this.restore(unsaved);
    else if (discovery) await this.copy(foundKeys(discovery));
    else if (series) await this.copy(copiedSeries(series));
    else if (from) await this.copy(copiedTask(from));
    else if (draft) await this.open(draft);
    else this.form.fill(valuesOfTemplate(this.template));
    if (this.stopped) return;
    this.form.show(TEMPLATES[this.template]);
    if (!unsaved) this.keeper.begin(this.values());
    this.showPlan();
    this.form.fields.question.input.focus({ preventScroll: true });
  }

  async open(id) {
    try {
      const { values } = await ask("GET", `/drafts/${encodeURIComponent(id)}`);
      this.restore(values);
    } catch (error) {
      replace(this.notice, alertBox(t("The draft cannot be opened. {reason}", { reason: error.message })));
    }
  }

  restore({ template, ...values }) {
    this.template = template;
    this.form.fill(values);
  }

  async copy(source) {
    try {
      const { values, words } = await source;
      this.form.fill(values);
      replace(this.notice, make("p", { class: "note", role: "status" }, words));
    } catch (error) {
      replace(this.notice, alertBox(t("The survey cannot be copied. {reason}", { reason: error.message })));
    }
  }

  values() {
    return { ...this.form.values(), template: this.template };
  }

  save() {
    return this.keeper.save(this.form.fields.name.value, this.values());
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
    const { publish, look, said, form } = this;
    publish.disabled = look.disabled = true;
    replace(said, make("p", { role: "status" }, t("Making the survey …")));
    try {
      const result = await work();
      replace(said);
      return result;
    } catch (error) {
      const field = form.fieldNamed(error.field);
      // What is focused may be on another step, whose showing clears what was said.
      field?.problem.show(error.detail);
      field?.problem.focus();
      replace(said, field ? null : alertBox(error.message));
    } finally {
      publish.disabled = look.disabled = false;
    }
  }

  isInvited() {
    return !this.form.fields.invitations.element.hidden;
  }

  // Links that cannot work are not made: told at the number of invitations.
  async canInvite() {
    const { publish, said } = this,
      { problem } = this.form.fields.invitations;
    publish.disabled = true;
    try {
      const { url } = await publicAddress();
      if (url) return true;
      problem.show(NO_ADDRESS);
      problem.focus();
    } catch (error) {
      replace(
        said,
        retryBox(error, () => this.send()),
      );
    } finally {
      publish.disabled = false;
    }
    return false;
  }

  async send() {
    if (!this.isReady()) return;
    const { fields } = this.form;
    if (this.form.mixing.isOn) this.attempt(() => this.makeFile());
    else if (!this.isInvited() || (await this.canInvite())) {
      const texts = [{ question: fields.question.value }, ...Object.values(fields.translations.value.translations)],
        questions = texts.map(({ question }) => question).filter(Boolean);
      this.dialog.open({ name: fields.name.value, questions }, this.plan.reminder());
    }
  }

  create() {
    return this.attempt(() => (this.form.repeat.isOn ? this.createSeries() : this.createTask()));
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
    await this.save();
    const made = {
      noun: isSeries ? "series" : "task",
      text: isSeries ? JSON.stringify(form.repeat.contract(JSON.parse(task))) : task,
      key,
      file,
      name: value("name"),
      url: value("mixer"),
      operator: value("mixer_operator"),
      target: Number(value("users")),
      values: this.values(),
      draft: this.keeper.id,
    };
    this.showHandover(made, keepHandover(made));
    announce(t("The file for the mixer is made."));
  }

  showHandover(made, kept = true) {
    this.plan.giveUp();
    this.keeper.id ??= made.draft;
    this.keeper.begin(made.values);
    this.restore(made.values);
    const handover = new Handover(made, {
      kept,
      change: () => this.changeAgain(),
      created: (answer) => this.handedOver(made, answer),
    });
    replace(this.root, handover.title, handover.element);
    handover.title.focus();
  }

  changeAgain() {
    dropHandover();
    this.showForm();
    this.form.steps.go(0);
    this.showPlan();
  }

  handedOver({ name, noun }, { id, warning }) {
    dropHandover();
    this.finish();
    const href = sharing(id, noun === "series" ? noun : undefined);
    if (warning) this.showCreated(make("p", { class: "note" }, told(warning)), href, name);
    else location.hash = href;
    announce(t("The survey is published."));
  }

  // The collector plans the task of all rounds; the days and the panels are the form's.
  async createSeries() {
    const { task } = await this.planned(),
      { id, warning } = await ask("POST", "/series", { body: this.form.repeat.contract(JSON.parse(task)) });
    this.finish();
    if (!warning) location.hash = sharing(id, "series");
    else this.showCreated(make("p", { class: "note" }, told(warning)), sharing(id, "series"));
    announce(t("The survey is published."));
  }

  async createTask() {
    const { users, invitations } = this.form.fields,
      invited = this.isInvited(),
      address = invited ? await publicAddress() : null;
    const { id } = await ask("POST", "/tasks/new", { body: this.form.body() });
    // The task exists: another attempt after a failure from here on finds the same one.
    await ask("PATCH", `/tasks/${id}`, { body: { target: Number(users.value) } });
    const made = invited ? await ask("POST", `/tasks/${id}/invitations?count=${invitations.value}`) : null;
    this.finish();
    // The links are shown this once, and therefore before anything else.
    if (invited) {
      const links = invitationLinks(id, made.invitations, this.form.fields.name.value, address);
      this.showCreated(make("section", { "aria-label": t("Invitations") }, ...links), sharing(id));
    } else location.hash = sharing(id);
    announce(t("The survey is published."));
  }

  finish() {
    this.stopped = true;
    this.keeper.drop();
  }

  showCreated(content, href, name = this.form.fields.name.value) {
    this.plan.stop();
    const title = make("h1", { tabindex: "-1" }, t("“{name}” is published", { name }));
    replace(this.root, title, content, make("p", {}, make("a", { href }, t("Open the page of the survey"))));
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
    // Those who are invited read what that means for them.
    if (kept) tab.location = `/join/preview${this.isInvited() ? "#invitation=preview" : ""}`;
    else tab?.close();
  }

  stop() {
    if (!this.stopped && this.keeper.isChanged(this.values()))
      this.keeper.leave(this.form.fields.name.value, this.values());
    this.stopped = true;
    this.plan.stop();
  }
}
