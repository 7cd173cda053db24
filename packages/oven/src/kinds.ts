import { dtypeOf, type ValueType } from '@brezel/core';

export function isText(type: ValueType): boolean {
  return type.kind === 'scalar' && dtypeOf(type) === 'string';
}

/** Values that only live inside a stage: their size is not known beforehand, and making them again is cheap. */
export function tokensOrText(type: ValueType): boolean {
  return type.kind === 'tokens' || isText(type);
}
