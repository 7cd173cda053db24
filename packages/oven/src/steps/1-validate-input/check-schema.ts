import { printType, sameType } from '@brezel/core';
import { ovenError } from '../../errors.js';
import { inferType } from '../../infer.js';
import { rule } from '../../rule.js';

/** Rejects a node whose type differs from the type that its operator computes. */
export const checkSchema = rule({
  name: 'check-schema',
  summary: 'rejects a node whose type differs from the type that its operator computes',
  step: 'validate-input',
  over: 'nodes',
  order: 'top-down',
  exact: true,
  required: true,
  targets: () => true,
  apply(node, plan, context) {
    const type = inferType(node, plan, context);
    if (sameType(type, node.type)) return undefined;
    throw ovenError('ERR_OVEN_SCHEMA', {
      expected: printType(type),
      received: printType(node.type),
      at: node.operator?.name ?? node.name,
    });
  },
});
