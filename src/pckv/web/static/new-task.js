// A new task: a form, the plan for what it says so far, and what to hand out afterwards.
import { Chart } from "./chart.js";
import {
  alertBox,
  announce,
  ask,
  choice,
  count,
  field,
  make,
  newestOnly,
  percent,
  query,
  replace,
  debounced,
} from "./page.js";
import { shareSection } from "./share.js";

const EXAMPLE = "Alien\nHeat\nToy Story";

const input = (type, attributes) => make("input", { type, required: true, ...attributes });

export function newTask(root) {
  document.title = "New task – pckv";
  const fields = {
    name: input("text", { maxlength: 256, autocomplete: "off" }),
    names: make("textarea", { rows: 6, placeholder: EXAMPLE, spellcheck: "false" }),
    number: input("number", { min: 1, max: 2 ** 31, value: 100 }),
    low: input("number", { step: "any", value: 1 }),
    high: input("number", { step: "any", value: 5 }),
    epsilon: input("number", { step: "any", min: "0.000001", max: 20, value: 1 }),
    pairs: input("number", { min: 1, value: 1 }),
    users: input("number", { min: 1, max: 1e15, value: 10000 }),
    objective: choice(
      [
        ["both", "how many, and how much"],
        ["frequency", "how many hold a key"],
        ["mean", "the mean value"],
      ],
      "both",
      show,
    ),
    opens: make("input", { type: "date" }),
    closes: make("input", { type: "date" }),
  };
  const named = make("input", { type: "radio", name: "keys", checked: true, onchange: choose });
  const numbered = make("input", { type: "radio", name: "keys", onchange: choose });
  const namesField = field("Keys, one per line", fields.names),
    numberField = field("Number of keys", fields.number, "They are named 0, 1, 2, …");
  const said = make("div"),
    plan = planSection();
  const form = make(
    "form",
    { class: "card", onsubmit: send, oninput: debounced(show, 300) },
    field("Name", fields.name, "Participants see it. Two runs of one survey need different names."),
    make(
      "fieldset",
      {},
      make("legend", {}, "Keys: what people may hold"),
      make(
        "div",
        { class: "choices" },
        make("label", {}, named, "a list of names"),
        make("label", {}, numbered, "just numbers"),
      ),
      namesField,
      numberField,
    ),
    make(
      "div",
      { class: "row" },
      field("Lowest value", fields.low),
      field("Highest value", fields.high),
      field("ε", fields.epsilon, "Smaller is more private."),
    ),
    make(
      "div",
      { class: "row" },
      field("Pairs per person", fields.pairs, "How many keys people typically hold."),
      field("People expected", fields.users, "Used only for the plan."),
      field("What matters", fields.objective),
    ),
    make(
      "div",
      { class: "row" },
      field("First day", fields.opens, "UTC; leave empty to start at once."),
      field("Closes on", fields.closes, "The first day without reports; leave empty for no end."),
    ),
    said,
    make("button", { class: "main" }, "Create the task"),
  );
  replace(root, make("h1", {}, "New task"), form, plan.element);
  choose();
  fields.name.focus();

  function choose() {
    namesField.hidden = numbered.checked;
    numberField.hidden = named.checked;
    fields.names.required = named.checked;
    fields.number.required = numbered.checked;
    show();
  }

  function keys() {
    if (numbered.checked) return fields.number.valueAsNumber;
    return fields.names.value
      .split(/\r?\n/)
      .map((line) => line.trim().normalize())
      .filter(Boolean);
  }

  function show() {
    const listed = keys(),
      number = listed.length ?? listed;
    const invalid = [fields.users, fields.epsilon, fields.pairs].find((input) => !input.validity.valid);
    if (invalid) return plan.wait(`${invalid.labels[0].textContent}: ${invalid.validationMessage}`);
    if (!(number > 0)) return plan.wait("Name at least one key to see what to expect.");
    plan.show({
      keys: number,
      users: fields.users.value,
      epsilon: fields.epsilon.value,
      pairs: fields.pairs.value,
      objective: fields.objective.value,
    });
  }

  async function send(event) {
    event.preventDefault();
    const body = {
      name: fields.name.value.trim().normalize(),
      keys: keys(),
      low: fields.low.value,
      high: fields.high.value,
      epsilon: fields.epsilon.value,
      users: fields.users.valueAsNumber,
      pairs: fields.pairs.valueAsNumber,
      objective: fields.objective.value,
      opens: fields.opens.value || null,
      closes: fields.closes.value || null,
    };
    try {
      const { id, task } = await ask("POST", "/tasks/new", { body });
      const [first_key] = Array.isArray(body.keys) ? body.keys : ["0"];
      showCreated({ ...JSON.parse(task), id, high: Number(body.high), first_key });
    } catch (error) {
      replace(said, alertBox(error.message));
    }
  }

  function showCreated(task) {
    plan.stop();
    const title = make("h1", { tabindex: "-1" }, `“${task.name}” is created`);
    replace(
      root,
      title,
      make("p", {}, make("a", { href: `#/tasks/${task.id}` }, "Open it on the dashboard")),
      shareSection(task),
    );
    title.focus();
    announce("The task is created.");
  }

  return () => plan.stop();
}

function planSection() {
  const byEpsilon = new Chart("Expected errors against ε."),
    byUsers = new Chart("Expected errors against the number of people.");
  const said = make("div", { "aria-live": "polite" });
  const curves = make(
    "div",
    { hidden: true },
    make("h3", {}, "With another ε"),
    byEpsilon.element,
    make("h3", {}, "With more or fewer people"),
    byUsers.element,
  );
  const element = make("section", { "aria-label": "Plan" }, make("h2", {}, "The plan"), said, curves);

  function wait(text) {
    show.stop();
    curves.hidden = true;
    replace(said, make("p", {}, text));
  }

  const show = newestOnly(async (signal, values) => {
    try {
      const answer = await ask("GET", `/plan?${query(values)}`, { signal });
      replace(said, ...sentences(answer.plan));
      curves.hidden = false;
      await Promise.all([byEpsilon.draw(answer.by_epsilon), byUsers.draw(answer.by_users)]);
    } catch (error) {
      if (!signal.aborted) wait(error.message);
    }
  });

  return {
    element,
    show,
    wait,
    stop() {
      show.stop();
      byEpsilon.stop();
      byUsers.stop();
    },
  };
}

function sentences(plan) {
  const chosen = plan.options.find((option) => option.mechanism === plan.mechanism && option.padding === plan.padding);
  const mean =
    chosen.mean_error < 1 ? `±${percent(chosen.mean_error / 2)} of the range for its mean` : "nothing about its mean";
  const { one_report, one_percent } = plan.hostile;
  return [
    make(
      "p",
      {},
      make("strong", {}, plan.mechanism),
      ` with padding ${plan.padding}, ${count(plan.bytes_a_report)} bytes per report.`,
    ),
    make(
      "p",
      {},
      `Of ${count(plan.users)} people, for a key that ${percent(plan.frequency)} hold: ±${percent(chosen.frequency_error)} of all people for its frequency, ${mean}.`,
    ),
    make("p", {}, `The smallest frequency that can be distinguished from zero: ${percent(plan.smallest_frequency)}.`),
    make(
      "p",
      {},
      `Hostile reports: a single one can raise a key by ${percent(one_report)} of all people, one in a hundred by ${percent(one_percent)}.`,
    ),
  ];
}
