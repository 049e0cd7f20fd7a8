// Estimates as a table: the server searches, sorts and pages; the browser holds only the rows it shows.
import { t } from "../shared/language.js";
import { make, replace } from "../shared/page.js";
import {
  frequencyTexts,
  meanTexts,
  meanTitle,
  reportedMeanTexts,
  TOO_RARE,
  UNKNOWN,
  UNLISTED,
} from "../shared/ranges.js";
import { named, ranged, SearchTable } from "../shared/table.js";

// The value and the limits of an estimate, in all their digits.
const limits = (numbers, name) => [numbers[name], numbers[`${name}_low`], numbers[`${name}_high`]];

// A key that noise alone may give may have no holders, whatever its range says; one that all people may hold is not
// known to be rare.
export function shareCell(estimate, mark = null) {
  const { value, range, most } = frequencyTexts(estimate),
    words = estimate.detected ? [value, range] : [estimate.frequency_high < 1 ? TOO_RARE : UNKNOWN, most];
  return ranged(...words, limits(estimate, "frequency"), mark);
}

// A key that noise may explain perhaps has no participant, and then no mean. Where larger sets may hide too much, the mean
// of the reported pairs stands beside, under that name.
export function meanCell(estimate) {
  if (!estimate.detected) return make("span", {}, UNKNOWN);
  const { value, range } = meanTexts(estimate),
    reported = reportedMeanTexts(estimate),
    isHidden = estimate.reported_mean_known && !estimate.mean_known,
    beside = isHidden && make("small", {}, ` ${t("of the answers that were reported: {value} ({range})", reported)}`);
  return ranged(estimate.mean_known ? value : UNKNOWN, range, limits(estimate, "mean"), beside || null);
}

// `requests` sends them, and `options` say how to estimate. `address` gives that of a key's page, or is null.
// `onanswer` gets every answer, `onproblem` what went wrong, or null, and `onsearch` the text of a search.
export function estimatesTable({ requests, task, options, search, address, onanswer, onproblem, onsearch }) {
  const { other } = task,
    title = meanTitle(task);

  function note({ key, collides }) {
    const text = key === other ? UNLISTED : collides ? t("responses do not tell it from another of these") : null;
    return text && make("small", {}, ` (${text})`);
  }

  function row(estimate) {
    const { key } = estimate,
      name = address ? make("a", { href: address(key) }, named(key)) : named(key);
    return [[name, note(estimate)], shareCell(estimate), ...(title ? [meanCell(estimate)] : [])];
  }

  async function load(page, signal) {
    try {
      const { content, total: found } = await requests.page(page, options, signal),
        total = found - (await showOther(page.search, signal));
      if (signal.aborted) return null;
      onanswer(content);
      onproblem(null);
      return { items: content.estimates.filter(({ key }) => key !== other), total };
    } catch (error) {
      if (!signal.aborted) onproblem(error);
      return null;
    }
  }

  // Those who hold keys that are not listed are no key among others: their row stands below all parts of the
  // table. Resolves to how many of the keys that were found this is.
  async function showOther(wanted, signal) {
    if (other === null) return 0;
    const { estimates } = await requests.ask("estimates", options, { signal, keys: [other] });
    replace(table.foot, ...estimates.map((estimate) => table.rowOf(estimate)));
    return Number(other.toLowerCase().includes(wanted.toLowerCase()));
  }

  const table = new SearchTable({
    label: t("Table of results"),
    columns: [
      { name: t("Answer option"), sort: "key" },
      { name: t("Chosen by"), sort: "frequency", number: true },
      ...(title ? [{ name: title, sort: "mean", number: true }] : []),
    ],
    sort: requests.sort,
    isSoft: ({ detected }) => !detected,
    search,
    onsearch,
    row,
    load,
  });
  return table;
}
