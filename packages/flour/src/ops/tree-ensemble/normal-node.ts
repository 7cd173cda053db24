import type { Forest } from './reference.js';

/** Indices in `branchModes`. */
const [LESS, GREATER_EQUAL, GREATER] = [1, 2, 3];

/**
 * A branch in the form that packed kernels run: a number `x <= threshold` goes to `low`, any other
 * number to `high`. The threshold is never NaN.
 */
export interface NormalNode {
  readonly threshold: number;
  readonly low: number;
  readonly high: number;
  readonly nanIsLow: boolean;
}

/**
 * Returns whether a mode is `<=`, `<`, `>=` or `>`. Packed kernels do not support tests of
 * equality.
 */
export const isOrdered = (mode: number): boolean => mode <= GREATER;

/**
 * Rewrites an order comparison as `x <= threshold`, exactly: `x < t` is `x <= the float below t`,
 * and `x > t` is not `x <= t`. A comparison that never holds (with NaN, or below -infinity) becomes
 * a comparison that always holds, with swapped children.
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

/** Returns the greatest float32 below `value`, a float32 above -infinity. */
function nextBelow(value: number): number {
  float[0] = value === 0 ? 0 : value;
  bits[0] = value === 0 ? 0x80000001 : bits[0]! + (value > 0 ? -1 : 1);
  return float[0]!;
}
