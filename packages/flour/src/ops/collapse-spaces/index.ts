import { text } from '@brezel/core';
import { ofText } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { contributions } from './contributions.js';
import { reference } from './reference.js';

/**
 * Defines the operator `collapse-spaces`, which replaces two or more adjacent white-space
 * characters by one space. `Flow.collapseSpaces` adds it to a program.
 *
 * Types: text → text.
 */
export const collapseSpaces = defineOp({
  name: 'collapse-spaces',
  version: 1,
  doc: {
    does: 'Replaces two or more adjacent white-space characters by one space.',
    types: 'text → text',
    kernels: ['collapse_spaces'],
  },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'featurizer' },
  infer: (use) => ofText('collapse-spaces', use) && text,
  reference,
  contributions,
  kernel: () => ({ kernel: 'collapse_spaces' }),
});

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Replaces two or more adjacent white-space characters by one space. A single white-space
     * character stays unchanged, for example a line break.
     *
     * White space is Unicode white space, like Python's `\s`.
     * Shapes: text → text. Cost: O(bytes). Bit-equal on every engine.
     * @see Source: scikit-learn, first step of its `char` analyzer.
     * @example text.collapseSpaces().charNgram({ vocabulary: [['a', ' ']] })
     */
    collapseSpaces(this: Flow<'text', Row, unknown>): Flow<'text', Row>;
  }
}

Flow.prototype.collapseSpaces = function (this: Flow<'text'>) {
  return this.context.apply<'text'>(collapseSpaces, [this]);
};
