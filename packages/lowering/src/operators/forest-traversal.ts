import type { OrderedForest } from './forest-paths.js';
import type { StepUse } from './lowering.js';
import { row } from './matrix.js';

/**
 * Writes nodes that move every row from the root of each tree to a leaf, one level at a time. A
 * matrix `[rows, trees]` contains the current node of each row in each tree. The number of moves is
 * the depth of the deepest tree; a row at a leaf stays at the leaf. Nodes with several parents are
 * supported.
 */
export function writeTraversal(use: StepUse, forest: OrderedForest): string {
  const { writer } = use;
  const [trees, targets] = [forest.roots.length, forest.base.length];
  writer.flopsPerRow += trees * (4 * forest.depth + targets);
  const tables = writeTables(use, forest);
  let places = firstStep(use, forest);
  for (let step = 1; step < forest.depth; step++) places = nextStep(use, tables, places);
  const payload = writer.constant('payload', 'float32', [forest.low.length, targets], forest.payload);
  const reached = writer.node('Gather', [payload, places], { axis: { i: 0 } });
  const sum = writer.node('ReduceSum', [reached, writer.constant('axis', 'int64', [1], [1])], { keepdims: { i: 0 } });
  return writer.node('Add', [sum, row(use, 'base', forest.base)]);
}

/**
 * Writes the first move of a traversal, from the roots to their children. The roots are the same
 * for every row, so the compared features and the thresholds are constants.
 */
function firstStep(use: StepUse, forest: OrderedForest): string {
  const { writer } = use;
  const roots = [...forest.roots];
  const trees = roots.length;
  const columns = writer.constant(
    'columns',
    'int64',
    [trees],
    roots.map((node) => forest.feature[node]!),
  );
  const values = writer.node('Gather', [use.inputs[0]!, columns], { axis: { i: 1 } });
  const gathered = (hint: string, table: ArrayLike<number>) =>
    writer.constant(
      hint,
      'int64',
      [1, trees],
      roots.map((node) => table[node]!),
    );
  const limits = writer.constant(
    'limits',
    'float32',
    [1, trees],
    roots.map((node) => forest.threshold[node]!),
  );
  const mask = writer.constant(
    'nan_is_low',
    'bool',
    [1, trees],
    roots.map((node) => forest.nanIsLow[node]!),
  );
  const isLow = lowOf(use, values, limits, forest.hasNanLow ? mask : undefined);
  return writer.node('Where', [isLow, gathered('low', forest.low), gathered('high', forest.high)]);
}

interface Tables {
  readonly feature: string;
  readonly threshold: string;
  readonly low: string;
  readonly high: string;
  readonly nanIsLow: string | undefined;
}

function writeTables({ writer }: StepUse, forest: OrderedForest): Tables {
  const shape = [forest.low.length];
  return {
    feature: writer.constant('feature', 'int64', shape, forest.feature),
    threshold: writer.constant('threshold', 'float32', shape, forest.threshold),
    low: writer.constant('low', 'int64', shape, forest.low),
    high: writer.constant('high', 'int64', shape, forest.high),
    nanIsLow: forest.hasNanLow ? writer.constant('nan_is_low', 'bool', shape, forest.nanIsLow) : undefined,
  };
}

function nextStep(use: StepUse, tables: Tables, places: string): string {
  const { writer } = use;
  const gathered = (table: string) => writer.node('Gather', [table, places], { axis: { i: 0 } });
  const values = writer.node('GatherElements', [use.inputs[0]!, gathered(tables.feature)], { axis: { i: 1 } });
  const isLow = lowOf(use, values, gathered(tables.threshold), tables.nanIsLow && gathered(tables.nanIsLow));
  return writer.node('Where', [isLow, gathered(tables.low), gathered(tables.high)]);
}

function lowOf({ writer }: StepUse, values: string, limits: string, nanIsLow: string | undefined): string {
  const isLow = writer.node('LessOrEqual', [values, limits]);
  if (nanIsLow === undefined) return isLow;
  return writer.node('Or', [isLow, writer.node('And', [writer.node('IsNaN', [values]), nanIsLow])]);
}
