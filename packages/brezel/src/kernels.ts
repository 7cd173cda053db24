import type { KernelTable } from '@brezel/core';
import { operatorDeadline, referenceKernel } from '@brezel/flour';
import { fastKernels } from '@brezel/runtime';
import { provideOperators } from './serve/operators.js';

// What runs plans, without what makes them: worker threads load this and no compiler.

export { loadNative, openStore } from './native-store.js';

/** Kernels of every operator, for the JavaScript engines. */
export const kernels: KernelTable = { reference: referenceKernel, fast: fastKernels };

provideOperators({ ...kernels, deadlineMs: operatorDeadline });
