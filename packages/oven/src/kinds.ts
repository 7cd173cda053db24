import { dtypeOf, type ValueType } from '@brezel/core';

export function isText(type: ValueType): boolean {
  return type.kind === 'scalar' && dtypeOf(type) === 'string';
}

/**
 * Returns whether a value exists only inside a stage: its size is unknown in advance, and
 * recomputing it is cheap.
 */
export function tokensOrText(type: ValueType): boolean {
  return type.kind === 'tokens' || isText(type);
}
