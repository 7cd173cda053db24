import { dtypeOf, sizeOf, type ValueType, vector } from '@brezel/core';
import { concat, int32, numbersOf, selectColumns } from '@brezel/flour';
import type { LogicalNode, LogicalPlan } from '../../logical-plan.js';
import { freshId, replaceNode } from '../../plan-changes.js';
import { nodeOf } from '../../plan-index.js';
import { type RuleContext, rule } from '../../rule.js';

/**
 * Selects columns directly from the inputs of a concat instead of from its result. Operators before
 * inputs without a selected column then do not run (projection push-down in Raven).
 */
export const pushSelectThroughConcat = rule({
  name: 'push-select-through-concat',
  summary: 'takes selected columns directly from the branches that contain them',
  step: 'optimize-stages',
  over: 'nodes',
  order: 'bottom-up',
  exact: true,
  targets: ({ operator, type }) => operator === selectColumns && type.kind === 'vector',
  apply(node, plan, context) {
    const concatNode = nodeOf(plan, node.inputs[0]!);
    if (concatNode.operator !== concat) return undefined;
    const branches = concatNode.inputs.map((input) => nodeOf(plan, input));
    const runs = runsOf(
      numbersOf(context.parameter(node.parameters.columns!)) as Int32Array,
      branches.map(({ type }) => sizeOf(type)),
    );
    // If the selection alternates between branches, one pass over the whole vector is cheaper.
    if (runs.length > branches.length) return undefined;
    return replaceNode(plan, node.id, selections(node, runs, branches, plan, context));
  },
});

interface Run {
  readonly branch: number;
  /** Indices of the selected columns in this input of the concat. */
  readonly columns: number[];
}

/**
 * Returns the selected columns, grouped into runs of neighbors that come from the same input of the
 * concat.
 */
function runsOf(columns: Int32Array, sizes: readonly number[]): Run[] {
  const ends: number[] = [];
  for (const size of sizes) ends.push((ends.at(-1) ?? 0) + size);
  const runs: Run[] = [];
  for (const column of columns) {
    const branch = branchWith(column, ends);
    const own = column - (ends[branch]! - sizes[branch]!);
    const last = runs.at(-1);
    if (last?.branch === branch) last.columns.push(own);
    else runs.push({ branch, columns: [own] });
  }
  return runs;
}

/** Returns the index of the first branch that ends after a column, with a binary search. */
function branchWith(column: number, ends: readonly number[]): number {
  let [low, high] = [0, ends.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column < ends[middle]!) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Returns a selection for each run, and a concat of these selections that replaces the old
 * selection.
 */
function selections(
  node: LogicalNode,
  runs: readonly Run[],
  branches: readonly LogicalNode[],
  plan: LogicalPlan,
  context: RuleContext,
): LogicalNode[] {
  const first = freshId(plan);
  const parts = runs.map(({ branch, columns }, index): LogicalNode => {
    const id = context.derive(`columns ${columns.join()}`, [], () => int32(columns));
    const type: ValueType = vector(dtypeOf(node.type), columns.length);
    return { ...node, id: first + index, inputs: [branches[branch]!.id], parameters: { columns: id }, type };
  });
  const { stage } = node;
  const joined: LogicalNode = {
    id: node.id,
    operator: concat,
    inputs: parts.map(({ id }) => id),
    attributes: {},
    parameters: {},
    type: node.type,
    ...(stage !== undefined && { stage }),
  };
  return [...parts, joined];
}
