import { sizeOf, vector } from '@brezel/core';
import { concat, mergeForests } from '@brezel/flour';
import { isOutput, type LogicalNode, type LogicalPlan, nodeOf, usersOf } from '../../logical-plan.js';
import { rule } from '../../rule.js';
import { forestOf, isForest, mergedForest } from '../forests.js';

/** One-versus-rest over trees: forests side by side on one input are one forest with all their targets. Each target adds the same leaves in the same order. */
export const mergeConcatenatedForests = rule({
  name: 'merge-concatenated-forests',
  summary: 'makes one forest of several whose scores stand side by side',
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
        run.map((one) => forestOf(one, context)),
        'stacked',
      );
    const last = run.at(-1)!;
    const type = vector(
      'float32',
      run.reduce((sum, one) => sum + sizeOf(one.type), 0),
    );
    const merged: LogicalNode = { ...mergedForest('stacked', run, context, build), id: last.id, type };
    const gone = new Set(run.slice(0, -1).map(({ id }) => id));
    const shorter: LogicalNode = { ...node, inputs: node.inputs.filter((input) => !gone.has(input)) };
    const nodes = plan.nodes.flatMap((one) =>
      gone.has(one.id) ? [] : [one === last ? merged : one === node ? shorter : one],
    );
    return { ...plan, nodes };
  },
});

/** The first neighbours among the inputs that are forests on one input, which nobody else reads. */
function forestsInARow(node: LogicalNode, plan: LogicalPlan): LogicalNode[] {
  let run: LogicalNode[] = [];
  for (const input of node.inputs) {
    const one = nodeOf(plan, input);
    const free = isForest(one) && !isOutput(plan, input) && usersOf(plan, input).length === 1;
    const once = free && node.inputs.indexOf(input) === node.inputs.lastIndexOf(input);
    if (once && (run.length === 0 || run[0]!.inputs[0] === one.inputs[0])) run.push(one);
    else if (run.length >= 2) break;
    else run = once ? [one] : [];
  }
  return run;
}
