import { dtypeOf, type ValueType } from '@brezel/core';

export function isText(type: ValueType): boolean {
  return type.kind === 'scalar' && dtypeOf(type) === 'string';
}

/**
 * Returns whether a type is tokens or text. Oven prefers to keep such values inside one stage,
 * because their size is unknown in advance and computing them again takes little time.
 */
export function tokensOrText(type: ValueType): boolean {
  return type.kind === 'tokens' || isText(type);
}
