import { type DType, dtypeOf } from '@brezel/core';
import type { OperatorDefinition, OperatorUse } from './define-op.js';
import { flourError } from './errors.js';

// Kernels read the bytes of parameters without their element types. A file could therefore name
// another type than the builder of the operator gave, and native answers would differ from the
// reference.

const ELEMENTS = /\b(float32|float64|int64|int32|bool|string)\b/g;
const AS_INPUT = /of the type of the input/;

/**
 * Checks the element types of the parameters that a file passes to an operator. The documentation
 * of the operator declares these types. A parameter without a declared type may have any type.
 *
 * @throws ERR_FLOUR_TYPE
 */
export function checkParameterTypes({ name, doc }: OperatorDefinition, use: OperatorUse): void {
  for (const [parameter, { dtype }] of Object.entries(use.parameters)) {
    const text = doc?.parameters?.[parameter] ?? doc?.parameters?.[parameter.replace(/\d+$/, '#')];
    const expected = text === undefined ? [] : declaredTypes(text, use);
    if (expected.length === 0 || expected.includes(dtype)) continue;
    const at = `${name}, parameter "${parameter}"`;
    throw flourError('ERR_FLOUR_TYPE', { expected: expected.join(' or '), received: dtype, at });
  }
}

/**
 * Returns the element types that a text of the documentation declares. An empty list allows any
 * type.
 */
function declaredTypes(text: string, { inputs: [input] }: OperatorUse): string[] {
  if (AS_INPUT.test(text)) return input === undefined ? [] : [dtypeOf(input) as DType];
  return text.match(ELEMENTS) ?? [];
}
