// What is said of tasks and series in several places: their state, the responses expected, and what rounds promise.
import { language, t } from "./language.js";
import { count, make, percent, plural } from "./page.js";

const DAYS_PER_YEAR = 365;

export const PHASES = { waiting: t("not yet open"), open: t("open"), closed: t("closed") };

export const badge = ({ phase }) => make("span", { class: `badge ${phase}` }, PHASES[phase]);

// The state of a task, a series or a round in a list, and whether responses were unusual.
export const listedState = (each) =>
  [badge(each), each.has_alarms ? make("span", { class: "badge alarm" }, t("look at this")) : null].filter(Boolean);

export const isDiscovery = ({ kind }) => kind === "discovery";

// Whether participants give values to their keys; they hold pairs then, and otherwise keys.
export const hasValues = ({ low }) => low !== null;

// Whether the reports of a mixed task were deleted unread: none will come.
export const isDeletedUnread = (batch) => ["too few", "withdrawn"].includes(batch?.state);

// What a task is for, unless it measures keys that are known, and whether its reports are mixed.
export function kindNote(task) {
  const notes = [
    isDiscovery(task) ? t("finds unknown answers") : null,
    task.batch ? t("through a mixer") : null,
  ].filter(Boolean);
  return notes.length ? make("small", {}, ` ${notes.join(", ")}`) : null;
}

export const reached = (reports, target) => percent(Math.floor((1000 * reports) / target) / 1000);

// How many of the responses came that were expected; nothing where no number was.
export function progress({ reports, target }) {
  if (target === null) return null;
  return make("progress", {
    max: target,
    value: Math.min(reports, target),
    "aria-label": t("Of the responses expected: {share}", { share: reached(reports, target) }),
  });
}

// How many reports a device sends at most in any 365 days, which may begin on the last day of a round.
function reportsPerYear({ period, panels, rounds }) {
  const touched = Math.ceil((DAYS_PER_YEAR - 1) / period) + 1;
  return Math.ceil(Math.min(touched, rounds ?? touched) / panels);
}

const decimal = (number) => Number(number.toPrecision(12)).toLocaleString(language);

// What w-event privacy means, in everyday words.
export function windowSentence({ period, panels, rounds, epsilon }) {
  const reports = reportsPerYear({ period, panels, rounds }),
    days = plural(panels * period, "day"),
    values = {
      panels: count(panels),
      days,
      epsilon: decimal(epsilon),
      year: DAYS_PER_YEAR,
      reports: count(reports),
      all: decimal(reports * epsilon),
    };
  return panels === 1
    ? t(
        "Whatever a participant does within one round ({days}) is hidden by ε = {epsilon}, since a device sends at most one report in that time; in any {year} days it sends at most {reports}, together ε = {all}.",
        values,
      )
    : t(
        "Whatever a participant does within any {panels} rounds in a row ({days}) is hidden by ε = {epsilon}, since a device sends at most one report in that time; in any {year} days it sends at most {reports}, together ε = {all}.",
        values,
      );
}
