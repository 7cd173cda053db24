import { exp, log } from '@brezel/core';

type Whole = readonly bigint[];

const total = (values: Whole): bigint => values.reduce((so, value) => so + value, 0n);

/** Exact, and then as many bits as the type has; a mean is cut off towards 0. */
const exact: Readonly<Record<string, (values: Whole) => bigint>> = {
  sum: total,
  mean: (values) => total(values) / BigInt(values.length),
  max: (values) => values.reduce((most, value) => (value > most ? value : most)),
  min: (values) => values.reduce((least, value) => (value < least ? value : least)),
  product: (values) => values.reduce((product, value) => BigInt.asIntN(64, product * value), 1n),
  sumOfSquares: (values) => total(values.map((value) => value * value)),
  sumOfAbsolutes: (values) => total(values.map((value) => (value < 0n ? -value : value))),
};

/** In float64, in plain order. */
function length(values: Float64Array): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
}

function logSumExp(values: Float64Array): number {
  const most = values.reduce((greatest, value) => (value > greatest ? value : greatest), values[0]!);
  return most + log(values.reduce((sum, value) => sum + exp(value - most), 0));
}

/** One integer from all, of the type with so many bits. Lengths and log-sum-exp go through float64, and are cut off and held in the range of the type. */
export function reduceIntegers(reduction: string, values: Whole, bits: 32 | 64): bigint {
  const whole = exact[reduction]?.(values);
  if (whole !== undefined) return BigInt.asIntN(bits, whole);
  const real = Float64Array.from(values, Number);
  const result = reduction === 'length' ? length(real) : logSumExp(real);
  const most = 2n ** BigInt(bits - 1) - 1n;
  if (result > Number(most)) return most;
  const cut = BigInt(Math.trunc(result));
  return cut > most ? most : cut < -most - 1n ? -most - 1n : cut;
}
