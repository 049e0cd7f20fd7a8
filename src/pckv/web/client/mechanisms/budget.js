// How `ue` and `grr` split ε between key and value: e to the power of each part.
import { expLower } from "../epsilon.js";
import { checkTask } from "../errors.js";

export function allocate(allocation, epsilon, padding) {
  const half = expLower(epsilon.over(2));
  const gain = expLower(epsilon).minus(1).times(padding);
  const budgets = new Map([
    ["optimized", [gain.over(2).plus(1), gain.plus(1)]],
    ["non-optimized", [gain.plus(1).times(half.plus(1)).over(half.times(2)), half]],
    ["naive", [half, half]],
  ]);
  checkTask(budgets.has(allocation), "allocation");
  const [key, value] = budgets.get(allocation);
  return { key, value };
}
