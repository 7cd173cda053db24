import { BLACK_BOX, type KernelTable, type ReferenceKernel, TENSOR_ROWS } from '@brezel/core';
import { passesIntegersByName } from '@brezel/runtime';
import { fleetError } from '../fleet/errors.js';

// The operators of a serving process. Only their names are available until the definitions are
// loaded.

let known: KernelTable | undefined;

/**
 * Receives the operators after the process has loaded their definitions. From then on, every
 * runtime of `brezel/serve` uses these operators.
 */
export function provideOperators(table: KernelTable): void {
  known = table;
}

/** Names of custom operators contain a namespace, which ends with this character. */
const NAMESPACE = '/';

/**
 * Returns a function that throws, in place of a built-in operator whose definition is not loaded.
 * Plans that run completely in kernels never call the function. Returns undefined for black boxes
 * and custom operators.
 */
function absent(operator: string): ReferenceKernel | undefined {
  if (operator === BLACK_BOX || (operator.includes(NAMESPACE) && operator !== TENSOR_ROWS)) return undefined;
  return () => {
    throw fleetError('ERR_FLEET_REFERENCE', { at: operator });
  };
}

export const servingKernels: KernelTable = {
  reference: (operator, version) => (known === undefined ? absent(operator) : known.reference(operator, version)),
  get missing() {
    return known?.missing;
  },
  get contributions() {
    return known?.contributions;
  },
  passesIntegers: (...step) => known?.passesIntegers?.(...step) ?? passesIntegersByName(...step),
  deadlineMs: (operator, version) => known?.deadlineMs?.(operator, version),
  checkStage: (stage) => known?.checkStage?.(stage),
};
