import { type DType, dtypeOf } from '@brezel/core';
import type { OperatorDefinition, OperatorUse, ParameterRule } from './define-op.js';
import { flourError } from './errors.js';

// Kernels read the bytes of parameters without their element types. If a parameter had another
// element type than the operator expects, native answers would differ from the reference.

/**
 * Checks the element types of an operator's parameters.
 *
 * @throws ERR_FLOUR_TYPE for a parameter whose element type the operator does not allow.
 */
export function checkParameterTypes({ name, parameters = {} }: OperatorDefinition, use: OperatorUse): void {
  for (const [parameter, { dtype }] of Object.entries(use.parameters)) {
    const rule = parameters[parameter] ?? parameters[parameter.replace(/\d+$/, '#')] ?? 'any';
    const expected = typesOf(rule, use);
    if (expected === undefined || expected.includes(dtype)) continue;
    const at = `${name}, parameter "${parameter}"`;
    throw flourError('ERR_FLOUR_TYPE', { expected: expected.join(' or '), received: dtype, at });
  }
}

/**
 * Returns the element types that the definition of a parameter allows, or undefined if it allows
 * every type.
 */
function typesOf(rule: ParameterRule, { inputs: [input] }: OperatorUse): readonly DType[] | undefined {
  if (rule === 'any') return undefined;
  if (rule === 'input') return input && [dtypeOf(input)];
  return rule;
}
