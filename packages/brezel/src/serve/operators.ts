import { BLACK_BOX, type KernelTable, type ReferenceKernel } from '@brezel/core';
import { fastKernels } from '@brezel/runtime';
import { fleetError } from '../fleet/errors.js';

// The operators that a serving process knows: only their names, until the definitions are loaded.

let known: KernelTable | undefined;

/**
 * Called when the definitions are loaded. From then on every runtime of `brezel/serve` has them.
 */
export function provideOperators(table: KernelTable): void {
  known = table;
}

/** Names of custom operators contain a namespace. */
const NAMESPACE = '/';

/** Stands in for the definition of a built-in operator, in plans that the addon runs completely. */
function absent(operator: string): ReferenceKernel | undefined {
  if (operator === BLACK_BOX || operator.includes(NAMESPACE)) return undefined;
  return () => {
    throw fleetError('ERR_FLEET_REFERENCE', { at: operator });
  };
}

export const servingKernels: KernelTable = {
  reference: (operator, version) => (known === undefined ? absent(operator) : known.reference(operator, version)),
  fast: fastKernels,
  deadlineMs: (operator, version) => known?.deadlineMs?.(operator, version),
  checkStage: (stage) => known?.checkStage?.(stage),
};
