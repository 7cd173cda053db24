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

/** Estimated nanoseconds to format one float32, the slowest type. */
const NUMBER_NANOS = 110;

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Converts numbers to texts. A float32 has the fewest digits that identify it. A float64 has at
     * most eight significant digits (C's `%.8g`). Both use an exponent below 1e-4 and from 1e8 on.
     * Special values are `NaN`, `INF` and `-INF`. Bools are 1 and 0.
     *
     * Shapes: numbers → one text for each number. Cost: O(n). Bit-equal on every engine.
     * @see Source: ONNX Cast to string. The digits are those of its node cases, in onnxruntime's
     * format. onnxruntime also writes float32 with eight digits.
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
