import { sameType } from '@brezel/core';
import { inferType } from '../../infer.js';
import { rule } from '../../rule.js';

/** Sets the type of every node to the type that its operator computes from its inputs. */
export const propagateSchema = rule({
  name: 'propagate-schema',
  summary: 'sets the type of every node',
  step: 'validate-input',
  over: 'nodes',
  order: 'top-down',
  exact: true,
  required: true,
  targets: (node) => node.operator !== undefined,
  apply(node, plan, context) {
    const type = inferType(node, plan, context);
    if (sameType(type, node.type)) return undefined;
    return { ...plan, nodes: plan.nodes.map((other) => (other.id === node.id ? { ...other, type } : other)) };
  },
});
