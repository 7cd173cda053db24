import { scalar } from '@brezel/core';
import { ofText } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { reference } from './reference.js';

/** Has no kernel yet: a plan that uses it runs in JavaScript. */
export const parseNumber = defineOp({
  name: 'parse-number',
  version: 1,
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none' },
  infer: (use) => ofText('parse-number', use) && scalar('float32'),
  reference,
});

declare module '../../flow.js' {
  interface Flow<Kind> {
    /**
     * Reads a number from text. What is no number, and empty text, is NaN: a missing value.
     *
     * Shapes: text → float32. Cost: O(bytes). Runs in JavaScript.
     * @see Source: ONNX Cast from string to float; ML.NET TextLoader.
     * @example text.parseNumber().asVector()
     */
    parseNumber(this: Flow<'text'>): Flow<'scalar'>;
  }
}

Flow.prototype.parseNumber = function (this: Flow<'text'>) {
  return this.context.apply<'scalar'>(parseNumber, [this]);
};
