// How to estimate: method, postprocessing, level and hostile reports, from the address and behind "Options".
import { term } from "../shared/glossary.js";
import { language, t } from "../shared/language.js";
import { choice, field, make } from "../shared/page.js";
import { parted } from "../shared/table.js";

const LEVEL = "0.95",
  RATE = "0.05";
const LEVELS = ["0.5", "0.8", "0.9", LEVEL, "0.99", "0.999"],
  RATES = ["0.001", "0.01", RATE, "0.1", "0.2"];
const MAX_LEVEL = 1 - 1e-9;

export const levelText = (level) =>
  `${Number((100 * level).toPrecision(9)).toLocaleString(language, { maximumFractionDigits: 9 })} %`;

export const isHashed = (task) => task.keys === "hashed";

const defaults = (task) => ({
  method: task.method,
  post: "",
  level: LEVEL,
  hostile: "",
  ...(isHashed(task) ? { false_discovery_rate: RATE } : {}),
});

const isLevel = (text) => Number(text) > 0 && Number(text) <= MAX_LEVEL;

// The options of a task, where an address says something else than the defaults; nonsense in it is ignored.
export function readOptions(task, { method, post, level, hostile, false_discovery_rate: rate }) {
  const known = defaults(task);
  if (task.methods.includes(method)) known.method = method;
  if (task.posts.includes(post)) known.post = post;
  if (level !== undefined && isLevel(level)) known.level = String(Number(level));
  if (hostile) known.hostile = hostile;
  if (isHashed(task) && Number(rate) > 0 && Number(rate) < 1) known.false_discovery_rate = String(Number(rate));
  return known;
}

// What belongs into an address: the options that are not the defaults.
export function changedOptions(task, options) {
  const usual = defaults(task);
  return Object.fromEntries(Object.entries(options).filter(([name, value]) => name in usual && value !== usual[name]));
}

// `onchange` is called with the name and the value of the chosen option.
export function optionsPanel(task, options, onchange) {
  const percentages = (usual, chosen) =>
    [...new Set([...usual, chosen])].sort().map((share) => [share, levelText(share)]);
  const select = (name, choices) => choice(choices, options[name], (value) => onchange(name, value));
  const same = (names) => names.map((name) => [name, name]);
  const hostile = make("input", {
    autocomplete: "off",
    maxlength: 32,
    placeholder: "0",
    size: 8,
    value: options.hostile,
    onchange: () => onchange("hostile", hostile.value.replace(/\s/g, "")),
  });
  return make(
    "details",
    { class: "options", open: Object.keys(changedOptions(task, options)).length > 0 },
    make("summary", {}, t("Details: how this was estimated")),
    make(
      "p",
      { class: "soft" },
      ...parted(t("Every response is made noisy; {method} and {interval} say how results are made from them."), {
        method: term("method", t("the method")),
        interval: term("interval", t("the ranges")),
      }),
    ),
    make(
      "div",
      { class: "row" },
      field(
        t("Method"),
        select("method", same(task.methods)),
        t("How noise is taken out: bayes is the closest on average."),
      ),
      task.posts.length
        ? field(
            t("Afterwards"),
            select("post", [["", t("nothing")], ...same(task.posts)]),
            t("consistent makes the shares possible together."),
          )
        : null,
      field(
        t("Confidence"),
        select("level", percentages(LEVELS, options.level)),
        t("How often a range holds the true number. The surer, the wider."),
      ),
      isHashed(task)
        ? field(
            t("False discovery rate"),
            select("false_discovery_rate", percentages(RATES, options.false_discovery_rate)),
            t("Of the answers that are said to stand out, the share without any participant, on average, at most."),
          )
        : null,
      field(
        t("Forged responses"),
        hostile,
        t("Ranges hold whatever this many of the responses say: a number, or a share such as 1%."),
      ),
    ),
  );
}
