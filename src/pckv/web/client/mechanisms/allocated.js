// How the paper's mechanisms split ε: bounds of e^ε1 (key) and e^ε2 (value), and the claim that they compose to.
import { expLower, must } from "../exact.js";

export function allocate(allocation, epsilon, padding) {
  const half = expLower(epsilon.over(2)), gain = expLower(epsilon).plus(-1).times(padding);
  const budgets = new Map([
    ["optimized", [gain.over(2).plus(1), gain.plus(1)]],
    ["non-optimized", [gain.plus(1).times(half.plus(1)).over(half.times(2)), half]],
    ["naive", [half, half]],
  ]);
  must(budgets.has(allocation), "allocation");
  const [key, value] = budgets.get(allocation);
  const middle = value.plus(1).over(2), rest = middle.times(padding - 1);
  return { key, value, claim: key.times(value).plus(rest).over((key.below(middle) ? key : middle).plus(rest)) };
}
