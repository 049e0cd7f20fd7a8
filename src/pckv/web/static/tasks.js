// The list of tasks, with live counts of their reports.
import { alertBox, ask, count, make, newestOnly, query, replace } from "./page.js";

const POLL_SECONDS = 3,
  TASKS_PER_PAGE = 100;
export const PHASES = { waiting: "not yet open", open: "open", closed: "closed" };

export function days(task) {
  if (task.closed) return `closed early on ${task.closed}`;
  const from = task.opens ? `from ${task.opens}` : "",
    until = task.closes ? `until ${task.closes}` : "";
  return `${from} ${until}`.trim() || "no days set";
}

export const badge = (task) => make("span", { class: `badge ${task.phase}` }, PHASES[task.phase]);

export function tasksView(root, role) {
  document.title = "Tasks – pckv";
  const rows = make("tbody"),
    said = make("div"),
    more = make("button", { type: "button", onclick: next, hidden: true }, "More tasks");
  const pages = [""];
  let timer;
  const names = ["Task", "State", "Days", "Keys", "ε", "Reports"];
  const head = names.map((name, column) => make("th", { scope: "col", class: column > 2 ? "number" : null }, name));
  replace(
    root,
    make("h1", {}, "Tasks"),
    said,
    make(
      "div",
      { class: "scroll" },
      make("table", { class: "tasks" }, make("thead", {}, make("tr", {}, ...head)), rows),
    ),
    more,
  );

  const row = (task) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, make("a", { href: `#/tasks/${task.id}` }, task.name)),
      make("td", {}, badge(task)),
      make("td", {}, days(task)),
      ...[count(task.keys), String(task.epsilon), count(task.reports)].map((text, column) =>
        // On a narrow screen there are no headers.
        make("td", { class: "number", "data-label": names[3 + column] }, text),
      ),
    );

  function next() {
    pages.push(more.dataset.after);
    refresh();
  }

  const refresh = newestOnly(async (signal) => {
    clearTimeout(timer);
    try {
      const path = (after) => `/overview?${query({ limit: TASKS_PER_PAGE, after })}`;
      const answers = await Promise.all(pages.map((after) => ask("GET", path(after), { signal })));
      const tasks = answers.flatMap((answer) => answer.tasks);
      // Rows are only replaced when something changed, so that the focus stays where it is.
      const text = JSON.stringify(tasks);
      if (rows.dataset.shown !== text) {
        const focused = document.activeElement?.getAttribute("href");
        replace(rows, ...tasks.map(row));
        rows.dataset.shown = text;
        if (focused) rows.querySelector(`[href="${CSS.escape(focused)}"]`)?.focus();
      }
      more.hidden = answers.at(-1).tasks.length < TASKS_PER_PAGE;
      more.dataset.after = tasks.at(-1)?.id ?? "";
      replace(said, tasks.length ? null : empty());
    } catch (error) {
      if (signal.aborted) return;
      replace(said, alertBox(error.message));
    }
    timer = setTimeout(refresh, 1000 * POLL_SECONDS);
  });

  function empty() {
    const link = role === "administrator" ? make("a", { href: "#/new" }, "Create the first one.") : null;
    return make("p", {}, "There are no tasks yet. ", link);
  }

  refresh();
  return () => {
    clearTimeout(timer);
    refresh.stop();
  };
}
