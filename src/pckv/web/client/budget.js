// How ue and grr split ε.
import { expLower, must } from "./core.js";

export function allocate(allocation, epsilon, padding) {
  const half = expLower(epsilon.over(2)), gain = expLower(epsilon).minus(1).times(padding);
  const budgets = new Map([
    ["optimized", [gain.over(2).plus(1), gain.plus(1)]],
    ["non-optimized", [gain.plus(1).times(half.plus(1)).over(half.times(2)), half]],
    ["naive", [half, half]],
  ]);
  must(budgets.has(allocation), "allocation");
  return budgets.get(allocation);
}
