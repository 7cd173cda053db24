import { sizeOf, vector } from '@brezel/core';
import { concat, mergeForests } from '@brezel/flour';
import type { LogicalNode, LogicalPlan } from '../../logical-plan.js';
import { isOutput, nodeOf, repeatedInputs, usersOf } from '../../plan-index.js';
import { rule } from '../../rule.js';
import { forestOf, isForest, mergedForest } from '../forests.js';

/**
 * Replaces a concat of forests that read the same input by one forest with all their targets.
 * One-versus-rest classifiers over trees have such forests. Each target still adds the same leaves
 * in the same order.
 */
export const mergeConcatenatedForests = rule({
  name: 'merge-concatenated-forests',
  summary: 'merges forests with concatenated scores into one forest',
  step: 'optimize-stages',
  over: 'nodes',
  order: 'top-down',
  exact: true,
  targets: ({ operator }) => operator === concat,
  apply(node, plan, context) {
    const run = forestsInARow(node, plan);
    if (run.length < 2) return undefined;
    const build = () =>
      mergeForests(
        run.map((other) => forestOf(other, context)),
        'stacked',
      );
    const last = run.at(-1)!;
    const type = vector(
      'float32',
      run.reduce((sum, other) => sum + sizeOf(other.type), 0),
    );
    const merged: LogicalNode = { ...mergedForest('stacked', run, context, build), id: last.id, type };
    const gone = new Set(run.slice(0, -1).map(({ id }) => id));
    const shorter: LogicalNode = { ...node, inputs: node.inputs.filter((input) => !gone.has(input)) };
    const nodes = plan.nodes.flatMap((other) =>
      gone.has(other.id) ? [] : [other === last ? merged : other === node ? shorter : other],
    );
    return { ...plan, nodes };
  },
});

/**
 * Returns the first group of adjacent inputs of a concat that are forests over the same input and
 * that no other node reads.
 */
function forestsInARow(node: LogicalNode, plan: LogicalPlan): LogicalNode[] {
  const repeated = repeatedInputs(node);
  let run: LogicalNode[] = [];
  for (const input of node.inputs) {
    const candidate = nodeOf(plan, input);
    const free = isForest(candidate) && !isOutput(plan, input) && usersOf(plan, input).length === 1;
    const once = free && !repeated.has(input);
    if (once && (run.length === 0 || run[0]!.inputs[0] === candidate.inputs[0])) run.push(candidate);
    else if (run.length >= 2) break;
    else run = once ? [candidate] : [];
  }
  return run;
}
