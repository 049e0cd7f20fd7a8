// What only people who are signed in see.
export { keyView } from "../results/key-page.js";
export { newTask } from "../new-task/new-task.js";
export { seriesView } from "./series.js";
export { taskView } from "./task.js";
export { tasksView } from "./tasks.js";
