import {
  type Block,
  type Carried,
  type CarryCall,
  type ContributionRules,
  type DenseBlock,
  type NumberShare,
  type NumberShares,
  numberShares,
  numbersIn,
  type ParameterValue,
  type ResultCall,
  type SparseBlock,
} from '@brezel/core';
import { findOperator } from './custom/registry.js';
import type { AffineMap, OperatorDefinition, PlannedUse } from './define-op.js';

// Helpers for the contribution functions of operators. These functions explain one row, so every
// block has one row.

/**
 * Returns the functions that divide the result of an operator into contributions. Returns undefined
 * if the operator has no such functions.
 */
export function contributionRules(operator: string, version: number): ContributionRules | undefined {
  const definition = findOperator(operator, version);
  if (definition?.contributions !== undefined) return definition.contributions;
  return definition?.affine && { carry: (call) => carryAffine(call, affineOf(definition, call)) };
}

/**
 * Yields the stored numbers of a row with their columns: all numbers of a dense row, and the
 * entries of a sparse row.
 */
export function* storedNumbers(block: SparseBlock | DenseBlock): Generator<readonly [column: number, value: number]> {
  for (let at = 0; at < block.values.length; at++)
    yield [block.kind === 'sparse' ? block.ids[at]! : at, Number(block.values[at])];
}

/**
 * Returns the columns of an input that a weighted sum reads: all columns of a dense row, or the
 * entries of a sparse row. With a background, these are also the entries of its rows.
 */
export function summedColumns(
  { inputs, background }: CarryCall,
  input: number,
  means = background?.means(input),
): Iterable<number> {
  const stored = Array.from(storedNumbers(inputs[input] as SparseBlock | DenseBlock), ([column]) => column);
  return means === undefined ? stored : new Set([...stored, ...means.keys()]);
}

/**
 * Makes the contribution of each number relative to the mean of the number in the background. The
 * base then includes the contributions of the means. Without a background, returns `carried`
 * unchanged. Only for operators with the same slopes for all rows.
 *
 * @param meansOf returns the means of an input, if they are not those of the background
 */
export function relativeToBackground(
  { background }: CarryCall,
  carried: Carried,
  meansOf = (input: number) => background!.means(input),
): Carried {
  if (background === undefined) return carried;
  let { base = 0 } = carried;
  const inputs = carried.inputs.map((shares, input) => {
    if (shares?.kind !== 'numbers' || shares.isFixed) return shares;
    const means = meansOf(input);
    return shared(shares, ({ slope, constant }, column) => {
      const ofMean = slope === 0 ? 0 : slope * (means.get(column) ?? 0);
      base += constant + ofMean;
      return { slope, constant: -ofMean };
    });
  });
  return { ...carried, inputs, base };
}

/** Returns the shares of a result if they are shares of numbers, otherwise undefined. */
export const numbersOfShares = ({ shares }: CarryCall): NumberShares | undefined =>
  shares.kind === 'numbers' ? shares : undefined;

/** Replaces each share by the result of `change`. The column of each share stays the same. */
export function shared(
  shares: NumberShares,
  change: (share: NumberShare, column: number) => NumberShare,
  isFixed = shares.isFixed,
): NumberShares {
  return numberShares(
    Array.from(shares.entries, ([column, share]) => [column, change(share, column)] as const),
    isFixed,
  );
}

/** Contribution functions for an operator that returns the numbers of its only input unchanged. */
export const passOn: ContributionRules = {
  link: ({ element }) => ({ element, sign: 1, isLoose: true }),
  carry: ({ shares }) => ({ inputs: [shares] }),
};

/**
 * Contribution functions for an operator that computes each number from the number in the same
 * column of its input. The contribution of a number of the result becomes the contribution of the
 * number of the input.
 */
export const columnByColumn: ContributionRules = { carry: carryColumns };

export function carryColumns(call: CarryCall): Carried | undefined {
  const shares = numbersOfShares(call);
  return shares && { inputs: [fixedShares(shares, call.result)] };
}

/**
 * Converts each share to a constant with the same contribution. No operator can divide such a share
 * further.
 */
export function fixedShares(shares: NumberShares, result: Block): NumberShares {
  const numberOf = numbersIn(result);
  const value = ({ slope, constant }: NumberShare, column: number) =>
    slope === 0 ? constant : slope * numberOf(column) + constant;
  return shared(shares, (share, column) => ({ slope: 0, constant: value(share, column) }), true);
}

/**
 * Converts the shares of `x * scale + offset` to shares of `x`. The contribution of the offset
 * becomes a part of the share's constant. Returns undefined for shares of texts, and without a map.
 */
export function carryAffine(call: CarryCall, map: AffineMap | undefined): Carried | undefined {
  const shares = numbersOfShares(call);
  if (shares === undefined || map === undefined) return undefined;
  const at = (values: Float64Array, column: number) => values[values.length === 1 ? 0 : column]!;
  return {
    inputs: [
      shared(shares, ({ slope, constant }, column) => ({
        slope: slope * at(map.scale, column),
        constant: constant + (slope === 0 ? 0 : slope * at(map.offset, column)),
      })),
    ],
  };
}

const affineOf = (definition: OperatorDefinition, call: CarryCall) => definition.affine!(plannedUse(call));

/** Returns an operator use in the form that `OperatorDefinition.affine` takes. */
function plannedUse({ inputTypes, attributes, parameters, type }: ResultCall): PlannedUse {
  const parameter = (name: string): ParameterValue => parameters[name]!;
  return { inputs: inputTypes, attributes, parameters, type, parameter };
}

/**
 * Converts the shares of results to shares of input columns, for an operator whose results are
 * weighted sums of its input columns. `weight` returns the weight of an input column in a result.
 *
 * @returns undefined if the shares are fixed constants, which cannot be divided.
 */
export function carrySums(
  shares: NumberShares,
  columns: Iterable<number>,
  weight: (column: number, output: number) => number,
): NumberShares | undefined {
  if (shares.isFixed) return undefined;
  const entries: [number, NumberShare][] = [];
  for (const column of columns) {
    let slope = 0;
    for (const [output, share] of shares.entries) slope += share.slope * weight(column, output);
    entries.push([column, { slope, constant: 0 }]);
  }
  return numberShares(entries, false);
}

/**
 * Returns the part of the score that weighted sums add without reading a column, such as the bias.
 */
export function baseOf(shares: NumberShares, bias: (output: number) => number): number {
  let base = 0;
  for (const [output, { slope, constant }] of shares.entries) base += constant + slope * bias(output);
  return base;
}
