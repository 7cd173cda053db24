import type { KernelTable } from '@brezel/core';
import { referenceKernel } from '@brezel/flour';
import { fastKernels } from '@brezel/runtime';

// Exports everything that runs plans, without the compiler. Worker threads load this module.

export { loadNative, openStore } from './native-store.js';

/** Kernels of every operator, for the JavaScript engines. */
export const kernels: KernelTable = { reference: referenceKernel, fast: fastKernels };
