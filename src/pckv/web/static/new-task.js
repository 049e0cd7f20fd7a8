// A new task: a form, the plan for what it says so far, and what to hand out afterwards.
import {
  alertBox,
  announce,
  ask,
  choice,
  debounced,
  field,
  make,
  replace,
} from "./page.js";
import { invitationSection } from "./invitations.js";
import { planSection } from "./plan.js";
import { appsSection, shareSection } from "./share.js";

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
    pairs: input("number", { min: 1, step: "any" }),
    mostPairs: make("input", { type: "number", min: 1 }),
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
  const sample = make("input", { type: "radio", name: "more", checked: true, onchange: show }),
    refuse = make("input", { type: "radio", name: "more", onchange: show });
  const deviceDraws = make("input", { type: "radio", name: "coin", checked: true, onchange: show }),
    serverDraws = make("input", { type: "radio", name: "coin", onchange: show });
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
      field("Pairs per person: typical", fields.pairs, "How many of the keys people hold on average."),
      field("At most (optional)", fields.mostPairs, "The most that anybody holds, if you know it."),
    ),
    make(
      "fieldset",
      {},
      make("legend", {}, "Somebody who holds more pairs than a report stands for"),
      make(
        "div",
        { class: "choices explained" },
        option(
          sample,
          "may take part",
          "A random choice of their pairs is reported, and a few people are asked how many they hold instead: the result then says how much is missing.",
        ),
        option(
          refuse,
          "must choose",
          "The join page says “choose up to” that many and stops there; an app has to do the same.",
        ),
      ),
    ),
    make(
      "div",
      { class: "row" },
      field("People expected", fields.users, "Used only for the plan."),
      field("What matters", fields.objective),
    ),
    make(
      "fieldset",
      {},
      make("legend", {}, "Against people who lie to distort the result"),
      make(
        "div",
        { class: "choices explained" },
        option(deviceDraws, "nothing more", "Every device draws all of its report's randomness. Everybody can take part."),
        option(
          serverDraws,
          "the collector draws the random function of each report",
          "A liar cannot search for a function that names many keys at once. It needs invitations, one per report, and a mechanism with such functions: the better of ue-compact and collision is taken. The guarantee for participants stays the same.",
        ),
      ),
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

  const more = () => (refuse.checked ? "refuse" : "sample");

  const coin = () => (serverDraws.checked ? "server" : "device");

  function show() {
    const listed = keys(),
      number = listed.length ?? listed;
    if (!(number > 0)) return plan.wait("Name at least one key to see what to expect.");
    if (fields.pairs.value === "") return plan.wait("Say how many pairs people typically hold to see what to expect.");
    const { users, epsilon, pairs, mostPairs, low, high } = fields;
    const invalid = [users, epsilon, pairs, mostPairs, low, high].find((input) => !input.validity.valid);
    if (invalid) return plan.wait(`${invalid.labels[0].textContent}: ${invalid.validationMessage}`);
    plan.show({
      keys: number,
      users: users.value,
      epsilon: epsilon.value,
      pairs: pairs.value,
      most_pairs: mostPairs.value,
      more: more(),
      coin: coin(),
      objective: fields.objective.value,
      low: low.value,
      high: high.value,
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
      most_pairs: fields.mostPairs.value === "" ? null : fields.mostPairs.valueAsNumber,
      more: more(),
      coin: coin(),
      objective: fields.objective.value,
      opens: fields.opens.value || null,
      closes: fields.closes.value || null,
    };
    try {
      const { id, task } = await ask("POST", "/tasks/new", { body });
      const [first_key] = Array.isArray(body.keys) ? body.keys : ["0"];
      const by_invitation = body.coin === "server";
      showCreated({ ...JSON.parse(task), id, high: Number(body.high), first_key, by_invitation });
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
      appsSection(task),
      invitationSection(task),
    );
    title.focus();
    announce("The task is created.");
  }

  return () => plan.stop();
}

function option(input, label, explanation) {
  const hint = make("small", {}, explanation);
  return make("label", {}, input, make("span", {}, label, hint));
}
