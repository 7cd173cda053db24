import type { KernelTable } from '@brezel/core';
import { referenceKernel } from '@brezel/flour';

// Exports everything that runs plans, without the compiler. Worker threads load this module.

export { loadNative, openStore } from './native-store.js';

/** Reference kernels of every operator. */
export const kernels: KernelTable = { reference: referenceKernel };
