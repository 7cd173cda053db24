import { dtypeOf, sizeOf } from '@brezel/core';
import { scaleForest } from '@brezel/flour';
import { plannedUse } from '../../infer.js';
import type { LogicalNode } from '../../logical-plan.js';
import { isOutput, nodeOf, usersOf } from '../../plan-index.js';
import { rule } from '../../rule.js';
import { deriveForest, forestOf, isForest, partsOf } from '../forests.js';

/**
 * Removes an operator that multiplies the scores of a forest by constants, or adds constants to
 * them. The rule changes the leaves and the base values of the forest instead. Examples of
 * constants are a learning rate, the weight of a vote, and the number of trees, by which scores are
 * divided.
 */
export const foldAffineIntoForest = rule({
  name: 'fold-affine-into-forest',
  summary: 'scales and shifts the leaves of a forest instead of its scores',
  step: 'optimize-stages',
  over: 'nodes',
  order: 'top-down',
  exact: false, // rounds every leaf instead of the sum
  targets: (node) => node.operator?.affine !== undefined && node.inputs.length === 1,
  apply(node, plan, context) {
    const forest = nodeOf(plan, node.inputs[0]!);
    if (!isForest(forest) || isOutput(plan, forest.id) || usersOf(plan, forest.id).length > 1) return undefined;
    if (node.type.kind !== 'vector' || dtypeOf(node.type) !== 'float32' || sizeOf(node.type) !== sizeOf(forest.type))
      return undefined;
    const map = node.operator!.affine!(plannedUse(node, plan, context));
    if (map === undefined || !map.scale.every(Number.isFinite)) return undefined;
    const scaled = scaleForest(forestOf(forest, context), map.scale, map.offset);
    if (!scaled.leafWeight.every(Number.isFinite) || !scaled.base.every(Number.isFinite)) return undefined;
    const key = `a forest through ${node.operator!.name} ${JSON.stringify(node.attributes)}`;
    const sources = [partsOf(forest), Object.values(node.parameters)];
    const scaledForest: LogicalNode = {
      ...forest,
      id: node.id,
      parameters: deriveForest(key, sources, context, () => scaled),
    };
    return {
      ...plan,
      nodes: plan.nodes.flatMap((other) => (other === forest ? [] : other === node ? [scaledForest] : [other])),
    };
  },
});
