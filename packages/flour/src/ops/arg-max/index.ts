import { printType, scalar, sizeOf, vector } from '@brezel/core';
import { ofNumbers, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { integerIn } from '../../numbers.js';
import { computedTypes } from '../arithmetic/operands.js';
import '../densify/index.js';
import { contributions } from './contributions.js';
import { reference } from './reference.js';

/**
 * Defines the operator `arg-max`, which returns the index of the greatest or least element of a
 * row, or of each part of a row. `Flow.argMax` adds it to a program.
 *
 * Types: float32[n], float64[n], int64[n] or int32[n] → int64, or int64[parts].
 */
export const argMax = defineOp({
  name: 'arg-max',
  version: 1,
  doc: {
    does: 'Returns the index of the greatest or least element of a row, or of each part of a row.',
    types: 'float32[n], float64[n], int64[n] or int32[n] → int64, or [parts]',
    attributes: {
      least: 'true: the least element instead of the greatest',
      last: 'true: the last of equal elements instead of the first',
      parts: 'number of equal parts of the row, a divisor of n. Default: 1',
    },
    kernels: ['arg_max'],
  },
  attributes: { least: 'boolean', last: 'boolean', parts: 'infer' },
  annotations: { cardinality: 'n-to-1', bound: 'memory', state: 'none' },
  infer(use) {
    const type = ofNumbers('arg-max', onlyInput('arg-max', use, 'vector'), ...computedTypes);
    if (use.attributes.parts === undefined) return scalar('int64');
    const parts = integerIn('arg-max', 'parts', use.attributes.parts as number, 1, Math.max(1, sizeOf(type)));
    if (sizeOf(type) % parts === 0 && sizeOf(type) > 0) return vector('int64', parts);
    throw flourError('ERR_FLOUR_SIZE', {
      expected: `a multiple of ${parts} columns`,
      received: printType(type),
      at: 'arg-max',
    });
  },
  reference,
  contributions,
  kernel: ({ attributes: { least = false, last = false } }) => ({
    kernel: 'arg_max',
    ...((least || last) && { attributes: [Number(least), Number(last)] }),
  }),
});

/** Options of `Flow.argMax`. */
export interface ArgMaxOptions {
  /** Which element to find. Default `greatest`. */
  readonly of?: 'greatest' | 'least';
  /** Which of several equal elements to return. Default `first`. */
  readonly equals?: 'first' | 'last';
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Returns the index of the greatest element, or of the least element with `of: 'least'`. If
     * several elements are equal, it returns the first of them, or the last with `equals: 'last'`.
     * With `parts`, the row is divided into parts of the same length. The result then has one index
     * for each part, counted from the start of the part. NaN is selected only if it is the first
     * element of the row or part.
     *
     * Shapes: dense float32, float64, int64 or int32 `[n]` → int64, or int64 `[parts]`. Cost: O(n).
     * @throws ERR_FLOUR_SIZE unless the number of columns is a multiple of `parts`.
     * @see Source: ONNX ArgMax and ArgMin.
     * @example scores.argMax()
     * @example scores.argMax({ of: 'least' })
     */
    argMax(this: Flow<'vector', Row, unknown>, options?: ArgMaxOptions): Flow<'scalar', Row>;
    argMax(
      this: Flow<'vector', Row, unknown>,
      options: ArgMaxOptions & { readonly parts: number },
    ): Flow<'vector', Row>;
  }
}

Flow.prototype.argMax = function (
  this: Flow<'vector'>,
  { of = 'greatest', equals = 'first', parts }: ArgMaxOptions & { parts?: number } = {},
) {
  const attributes = {
    ...(of === 'least' && { least: true }),
    ...(equals === 'last' && { last: true }),
    ...(parts !== undefined && { parts }),
  };
  return this.context.apply(argMax, [this.densify()], { attributes }) as never;
};
