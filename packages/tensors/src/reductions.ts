import { exp, log } from '@brezel/core';
import { type IntegerElement, integerRange, saturated } from './elements.js';
import type { NumericElement } from './tensor.js';

/**
 * Describes how a group of elements is reduced to one. `real` receives floats as float64, and
 * rounds the result of each operation with `keep`, for example to float32. `whole` receives
 * integers; the caller wraps its result to the width of the type. Without `whole`, integers are
 * computed in float64, and the result is truncated and limited to the range of the type.
 */
export interface Reduction {
  readonly real: (values: Float64Array, keep: (x: number) => number) => number;
  readonly whole?: (values: readonly bigint[], element: NumericElement) => bigint;
}

const magnitude = (x: bigint): bigint => (x < 0n ? -x : x);
const range = (element: NumericElement) =>
  element === 'bool' ? ([0n, 1n] as const) : integerRange(element as IntegerElement);
const total = (values: readonly bigint[]) => values.reduce((so, value) => so + value, 0n);
const { NEGATIVE_INFINITY: lowest, POSITIVE_INFINITY: highest } = Number;

type Keep = (x: number) => number;

const sum = (values: Float64Array, keep: Keep) => values.reduce((so, value) => keep(so + value), 0);
const sumSquare = (values: Float64Array, keep: Keep) => values.reduce((so, value) => keep(so + keep(value * value)), 0);
const max = (values: Float64Array) =>
  values.reduce((most, value) => (value > most ? value : most), values[0] ?? lowest);

function logSumExp(values: Float64Array): number {
  const most = max(values);
  if (most === lowest || most === highest) return most;
  return most + log(values.reduce((so, value) => so + exp(value - most), 0));
}

/**
 * The reference implementations of all reductions. Tensor operators and the row operator `reduce`
 * use them. Sums and products combine the elements in order. A maximum or minimum is NaN only if
 * the first element is NaN. Log-sum-exp subtracts the maximum first.
 */
export const reductions = {
  sum: { real: sum, whole: total },
  mean: {
    real: (values, keep) => sum(values, keep) / values.length,
    whole: (values) => total(values) / BigInt(values.length),
  },
  product: {
    real: (values, keep) => values.reduce((product, value) => keep(product * value), 1),
    whole: (values) => values.reduce((product, value) => BigInt.asIntN(64, product * value), 1n),
  },
  max: {
    real: max,
    whole: (values, element) => values.reduce((most, value) => (value > most ? value : most), range(element)[0]),
  },
  min: {
    real: (values) => values.reduce((least, value) => (value < least ? value : least), values[0] ?? highest),
    whole: (values, element) => values.reduce((least, value) => (value < least ? value : least), range(element)[1]),
  },
  sumOfAbsolutes: {
    real: (values, keep) => values.reduce((so, value) => keep(so + Math.abs(value)), 0),
    whole: (values) => total(values.map(magnitude)),
  },
  length: { real: (values, keep) => Math.sqrt(sumSquare(values, keep)) },
  sumOfSquares: { real: sumSquare, whole: (values) => total(values.map((value) => value * value)) },
  logSum: { real: (values, keep) => log(sum(values, keep)) },
  logSumExp: { real: logSumExp },
} as const satisfies Record<string, Reduction>;

/** Reduces integers to one integer, which the caller wraps to the width of `element`. */
export const reducedInteger = (reduction: Reduction, values: readonly bigint[], element: NumericElement): bigint =>
  reduction.whole?.(values, element) ??
  saturated(
    reduction.real(Float64Array.from(values, Number), (x) => x),
    element as IntegerElement,
  );
