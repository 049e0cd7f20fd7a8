export { perturb } from "./device.js";
export { PckvError } from "./exact.js";
export { Task } from "./task.js";
