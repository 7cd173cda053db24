import { concat, countLinear } from '@brezel/flour';
import { replaceNode } from '../../plan-changes.js';
import { nodeOf } from '../../plan-index.js';
import { rule } from '../../rule.js';
import { pushedThrough } from './push-linear-through-concat.js';

/**
 * Lets a linear model of counts read the inputs of a concat instead of the concat, each with its
 * part of the weights. The sum is exact, so it stays the same. The concatenated vector is then not
 * needed.
 */
export const pushCountLinearThroughConcat = rule({
  name: 'push-count-linear-through-concat',
  summary: 'lets a linear model of counts read each input of a concat, without building the long vector',
  step: 'optimize-stages',
  over: 'nodes',
  order: 'bottom-up',
  exact: true,
  targets: (node) => node.operator === countLinear,
  apply(node, plan, context) {
    const branch = node.inputs.findIndex((input) => {
      const source = nodeOf(plan, input);
      return source.operator === concat && source.inputs.every((input) => nodeOf(plan, input).type.kind === 'sparse');
    });
    return branch < 0 ? undefined : replaceNode(plan, node.id, [pushedThrough(node, branch, plan, context)]);
  },
});
