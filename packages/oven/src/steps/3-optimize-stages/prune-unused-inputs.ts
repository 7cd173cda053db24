import { sizeOf, vector } from '@brezel/core';
import { concat, featuresRead, numbersOf, renumberFeatures } from '@brezel/flour';
import type { LogicalNode, LogicalPlan } from '../../logical-plan.js';
import { freshId } from '../../plan-changes.js';
import { nodeOf } from '../../plan-index.js';
import { type RuleContext, rule } from '../../rule.js';
import { deriveForest, forestOf, isForest, partsOf } from '../forests.js';

/**
 * Removes the inputs of a concat that no tree of the following forest reads. The operators before
 * these inputs then do not run.
 *
 * Forests that were trained on many columns often use only some of them (model-projection push-down
 * in Raven).
 */
export const pruneUnusedInputs = rule({
  name: 'prune-unused-inputs',
  summary: 'drops branches of a concat that no tree of a forest reads',
  step: 'optimize-stages',
  over: 'nodes',
  order: 'bottom-up',
  exact: true,
  targets: isForest,
  apply(node, plan, context) {
    const concatNode = nodeOf(plan, node.inputs[0]!);
    if (concatNode.operator !== concat || concatNode.type.kind !== 'vector') return undefined;
    const branches = concatNode.inputs.map((input) => nodeOf(plan, input));
    const read = branchesRead(
      node,
      branches.map(({ type }) => sizeOf(type)),
      context,
    );
    const remaining = branches.filter((_, index) => read[index]);
    if (remaining.length === branches.length || remaining.length === 0) return undefined;
    return pruned(node, concatNode, branches, read, plan, context);
  },
});

function branchesRead(forest: LogicalNode, sizes: readonly number[], context: RuleContext): boolean[] {
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const features = featuresRead(forestOf(forest, context), all);
  let from = 0;
  return sizes.map((size) => {
    from += size;
    return features.slice(from - size, from).some(Boolean);
  });
}

function pruned(
  node: LogicalNode,
  concatNode: LogicalNode,
  branches: readonly LogicalNode[],
  read: readonly boolean[],
  plan: LogicalPlan,
  context: RuleContext,
): LogicalPlan {
  const columns = newColumns(
    branches.map(({ type }) => sizeOf(type)),
    read,
  );
  const parameters = deriveForest(`a forest over columns ${columns.join()}`, [partsOf(node)], context, () =>
    renumberFeatures(forestOf(node, context), columns),
  );
  const remaining = branches.filter((_, index) => read[index]);
  const size = remaining.reduce((sum, { type }) => sum + sizeOf(type), 0);
  const shorter: LogicalNode = {
    ...concatNode,
    id: freshId(plan),
    inputs: remaining.map(({ id }) => id),
    type: vector('float32', size),
  };
  const features = numbersOf(context.parameter(parameters.feature!)) as Int32Array;
  const most = features.reduce((greatest, feature) => Math.max(greatest, feature), 0) + 1;
  const forest: LogicalNode = {
    ...node,
    inputs: [shorter.id],
    parameters,
    attributes: { ...node.attributes, features: most },
  };
  const nodes = plan.nodes.flatMap((other) =>
    other === concatNode ? [concatNode, shorter] : other === node ? [forest] : [other],
  );
  return { ...plan, nodes };
}

/**
 * Returns, for the index of each column of the old concat, its index in the new concat, or -1 for a
 * removed column.
 */
function newColumns(sizes: readonly number[], read: readonly boolean[]): number[] {
  let next = 0;
  return sizes.flatMap((size, branch) => Array.from({ length: size }, () => (read[branch] ? next++ : -1)));
}
