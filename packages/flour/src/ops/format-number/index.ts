import { denseLike, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { Flow } from '../../flow.js';
import '../densify/index.js';
import { reference } from './reference.js';

/**
 * Defines the operator `format-number`, which converts numbers to texts. `Flow.formatNumber` adds
 * it to a program.
 *
 * Types: numbers [n] → text[n].
 */
export const formatNumber = defineOp({
  name: 'format-number',
  version: 1,
  doc: {
    does: 'Converts numbers to texts.',
    types: 'numbers [n] → text[n]',
    kernels: ['format_number'],
  },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none' },
  infer(use) {
    const input = onlyInput('format-number', use, 'scalar', 'vector');
    return denseLike(ofNumbers('format-number', input, 'float32', 'float64', 'int64', 'int32', 'bool'), 'string');
  },
  reference,
  kernel: () => ({ kernel: 'format_number' }),
  cost: ({ entries }) => entries.output * NUMBER_NANOS,
});

/** Estimated nanoseconds to format one float32, which takes longer than any other type. */
const NUMBER_NANOS = 110;

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Converts numbers to texts. A float32 is written with the fewest digits that identify it. A
     * float64 is written with at most eight significant digits (C's `%.8g`). Both are written with
     * an exponent if their absolute value is below 1e-4, or at least 1e8. Special values are `NaN`,
     * `INF` and `-INF`. A bool is written as 1 or 0.
     *
     * Shapes: numbers → one text for each number. Cost: O(n). Bit-equal on every engine.
     * @see Source: ONNX Cast to string. The digits are those of ONNX's node tests, in the format of
     * onnxruntime. Unlike Brezel, onnxruntime writes float32 with up to eight digits.
     * @example counts.argMax().formatNumber()
     */
    formatNumber(this: Flow<'scalar', Row, unknown>): Flow<'text', Row>;
    formatNumber(this: Flow<'vector', Row, unknown>): Flow<'vector', Row, readonly string[]>;
  }
}

Flow.prototype.formatNumber = function (this: Flow) {
  const source = this.kind === 'vector' ? (this as Flow<'vector'>).densify() : this;
  return this.context.apply(formatNumber, [source]) as never;
};
