import {
  type CannotCarry,
  type Carried,
  type CarryCall,
  type ColumnInteractions,
  type ContributionRules,
  type DenseBlock,
  type NumberShares,
  numberShares,
} from '@brezel/core';
import { baseOf, numbersOfShares } from '../../contributions.js';
import { type ExplainedForest, explainedForest, type LeafLists } from './explained-forest.js';
import { interventionalForest } from './interventional-forest.js';
import { forestOf, takesTrue } from './reference.js';

export const contributions: ContributionRules = forestRules((parameters) => {
  const forest = forestOf(parameters);
  return { forest, takesTrue: (node, value) => takesTrue(forest, node, value) };
});

/** A forest, and the function that returns whether a value takes the true branch of a node. */
interface ComparedForest {
  readonly forest: LeafLists;
  takesTrue(node: number, value: number): boolean;
}

/**
 * Returns the contribution functions for an operator that adds up the leaves of trees.
 *
 * @param factor returns the number by which the operator multiplies each leaf, or undefined if the
 * operator does not add leaves. Default: 1.
 */
export function forestRules(
  read: (parameters: CarryCall['parameters']) => ComparedForest,
  factor: (call: CarryCall, trees: number) => number | undefined = () => 1,
): ContributionRules {
  const known = new WeakMap<object, ComparedForest>();
  const readOnce = (parameters: CarryCall['parameters']) => {
    const forest = known.get(parameters) ?? read(parameters);
    known.set(parameters, forest);
    return forest;
  };
  const carryRows = (calls: readonly CarryCall[]) => carryForestRows(calls, readOnce, factor);
  return {
    carry: (call) => carryRows([call])[0],
    carryRows,
    interactions: (call) => forestInteractions(call, readOnce, factor),
  };
}

const NO_INTERACTIONS: ColumnInteractions = { columns: new Int32Array(), values: new Float64Array() };

function forestInteractions(
  call: CarryCall,
  read: (parameters: CarryCall['parameters']) => ComparedForest,
  factor: (call: CarryCall, trees: number) => number | undefined,
): ColumnInteractions | CannotCarry {
  const { forest, takesTrue: takes } = read(call.parameters);
  const slopes = slopesOf(call, forest.base.length, factor(call, forest.roots.length) ?? 0);
  const explained = explainedForest(call.parameters, forest, takes);
  if ('cannot' in explained) return explained;
  return slopes === undefined ? NO_INTERACTIONS : explained.interactions(slopes, numbersOfRow(call));
}

const numbersOfRow = ({ inputs }: CarryCall) => (inputs[0] as DenseBlock<'float32' | 'float64'>).values;

function carryForestRows(
  calls: readonly CarryCall[],
  read: (parameters: CarryCall['parameters']) => ComparedForest,
  factor: (call: CarryCall, trees: number) => number | undefined,
): (Carried | CannotCarry | undefined)[] {
  const [first] = calls;
  if (first === undefined) return [];
  const { forest, takesTrue: takes } = read(first.parameters);
  const scale = factor(first, forest.roots.length);
  if (scale === undefined) return calls.map(() => undefined);
  const { background } = first;
  const explained =
    background === undefined
      ? explainedForest(first.parameters, forest, takes)
      : interventionalForest(background, forest, takes);
  if ('cannot' in explained) return calls.map(() => explained);
  const carried = new Array<Carried | undefined>(calls.length).fill(undefined);
  for (const [slopes, rows] of bySlopes(calls, forest.base.length, scale)) {
    const inputs = rows.map((row) => numbersOfRow(calls[row]!));
    const { base, sums } = explained.explain(slopes, inputs, first.kernels);
    rows.forEach((row, at) => {
      const shares = calls[row]!.shares as NumberShares;
      carried[row] = {
        inputs: [sharesOf(explained, sums, at)],
        base: base + baseOf(shares, (target) => forest.base[target]!),
      };
    });
  }
  return carried;
}

/**
 * Groups rows that can be explained together: in each group, each target of the forest has the same
 * factor (slope) in the explained score. Returns the rows for each list of factors.
 */
function bySlopes(calls: readonly CarryCall[], targets: number, scale: number): Map<Float64Array, number[]> {
  const groups = new Map<string, { slopes: Float64Array; rows: number[] }>();
  calls.forEach((call, row) => {
    const slopes = slopesOf(call, targets, scale);
    if (slopes === undefined) return;
    const key = slopes.join();
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { slopes, rows: [row] });
    else group.rows.push(row);
  });
  return new Map(Array.from(groups.values(), ({ slopes, rows }) => [slopes, rows]));
}

/**
 * Returns, for each target of the forest, the factor of the target in the explained score
 * (`slope`), multiplied by `scale`. Returns undefined if the result has no shares of numbers, or if
 * the score is not linear in the targets (`isFixed`). The forest then cannot divide the shares
 * among its features.
 */
function slopesOf(call: CarryCall, targets: number, scale: number): Float64Array | undefined {
  const shares = numbersOfShares(call);
  if (shares === undefined || shares.isFixed) return undefined;
  const slopes = new Float64Array(targets);
  for (const [target, { slope }] of shares.entries) slopes[target] = scale * slope;
  return slopes;
}

/** Returns the shares of the features that the forest tests, for one of the rows in `sums`. */
function sharesOf({ features }: Pick<ExplainedForest, 'features'>, sums: Float64Array, row: number): NumberShares {
  const start = row * features.length;
  const entries = Array.from(
    features,
    (feature, column) => [feature, { slope: 0, constant: sums[start + column]! }] as const,
  );
  return numberShares(entries, true);
}
