import { sizeOf, vector } from '@brezel/core';
import { onlyInput } from '../../checks.js';
import { passOn } from '../../contributions.js';
import { defineOp } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { passesMissing } from '../../missing.js';
import { passesElements } from '../../quality.js';
import { reference } from './reference.js';

/**
 * Defines the operator `densify`, which converts a sparse vector to a dense vector. `Flow.densify`
 * adds it to a program.
 *
 * Types: sparse float32[n] → float32[n].
 */
export const densify = defineOp({
  name: 'densify',
  version: 1,
  doc: {
    does: 'Converts a sparse vector to a dense one.',
    types: 'sparse float32[n] → float32[n]',
    kernels: ['densify'],
  },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none' },
  infer: (use) => vector('float32', sizeOf(onlyInput('densify', use, 'sparse'))),
  reference,
  contributions: passOn,
  quality: passesElements,
  missing: passesMissing,
  kernel: () => ({ kernel: 'densify' }),
});

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Converts a sparse vector to a dense vector. Returns a dense vector unchanged. You seldom need
     * this method, because operators that need dense vectors call it.
     *
     * Shapes: sparse float32 `[n]` → float32 `[n]`. Cost: O(n).
     * @example counts.densify()
     */
    densify(this: Flow<'vector', Row, Value>): Flow<'vector', Row, Value>;
  }
}

Flow.prototype.densify = function (this: Flow<'vector'>) {
  return this.type.kind === 'sparse' ? this.context.apply<'vector'>(densify, [this]) : this;
};
