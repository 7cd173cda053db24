import type { Attributes } from '@brezel/core';

/** The operators whose result may contain integers of an input unchanged. */
const passing: ReadonlySet<string> = new Set([
  'cast',
  'concat',
  'impute',
  'narrow',
  'row-shape',
  'select-columns',
  'top-k',
]);

/**
 * Returns what `KernelTable.passesIntegers` returns for the operators of Brezel, without their
 * definitions. `brezel/serve` and `brezel/web` do not load the definitions. A test compares this
 * function with the definitions.
 */
export const passesIntegersByName = (operator: string, _version: number, attributes: Attributes): boolean =>
  passing.has(operator) && (operator !== 'narrow' || attributes.to === 'uint64');
