import type { Forest } from './reference.js';

/** The indices of the comparisons `<`, `>=` and `>` in `branchModes`. */
const [LESS, GREATER_EQUAL, GREATER] = [1, 2, 3];

/**
 * A branch in the form that packed kernels run: if `x <= threshold`, a row goes to the node `low`,
 * otherwise to `high`. `nanIsLow`: NaN goes to `low`. The threshold is never NaN.
 */
export interface NormalNode {
  readonly threshold: number;
  readonly low: number;
  readonly high: number;
  readonly nanIsLow: boolean;
}

/**
 * Returns whether a mode is `<=`, `<`, `>=` or `>`. Packed kernels support only these modes.
 */
export const isOrdered = (mode: number): boolean => mode <= GREATER;

/**
 * Returns an equivalent branch with the comparison `x <= threshold`. It converts `x < t` to `x <=
 * the float below t`, and for `x > t` and `x >= t` it swaps the children. A comparison that is
 * never true (with NaN, or `x < -infinity`) becomes one that is always true, with swapped children.
 */
export function normalNode(forest: Forest, node: number): NormalNode {
  const mode = forest.mode[node]!;
  const threshold = forest.threshold[node]!;
  const [yes, no] = [forest.trueChild[node]!, forest.falseChild[node]!];
  const nanIsYes = forest.missingTrue[node] === 1;
  const never = { threshold: Number.POSITIVE_INFINITY, low: no, high: yes, nanIsLow: !nanIsYes };
  if (Number.isNaN(threshold)) return never;
  const isStrict = mode === LESS || mode === GREATER_EQUAL;
  const isBelow = mode !== GREATER && mode !== GREATER_EQUAL;
  if (isStrict && threshold === Number.NEGATIVE_INFINITY)
    return isBelow ? never : { threshold: Number.POSITIVE_INFINITY, low: yes, high: no, nanIsLow: nanIsYes };
  const limit = isStrict ? nextBelow(threshold) : threshold;
  return isBelow
    ? { threshold: limit, low: yes, high: no, nanIsLow: nanIsYes }
    : { threshold: limit, low: no, high: yes, nanIsLow: !nanIsYes };
}

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);

/** Returns the greatest float32 below `value`. `value` must be a float32 above -infinity. */
function nextBelow(value: number): number {
  float[0] = value === 0 ? 0 : value;
  bits[0] = value === 0 ? 0x80000001 : bits[0]! + (value > 0 ? -1 : 1);
  return float[0]!;
}
