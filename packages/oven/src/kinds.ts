import { dtypeOf, type ValueType } from '@brezel/core';

export function isText(type: ValueType): boolean {
  return type.kind === 'scalar' && dtypeOf(type) === 'string';
}

/**
 * Returns whether a value may exist only inside a stage: tokens and texts, whose size is unknown in
 * advance and which are cheap to compute again.
 */
export function tokensOrText(type: ValueType): boolean {
  return type.kind === 'tokens' || isText(type);
}
