import type { KernelTable } from '@brezel/core';
import { referenceKernel } from '@brezel/flour';
import { fastKernels } from '@brezel/runtime';

// What runs plans, without what makes them: worker threads load this and no compiler.

export { loadNative, openStore } from './native-store.js';

/** Kernels of every operator, for the JavaScript engines. */
export const kernels: KernelTable = { reference: referenceKernel, fast: fastKernels };
