import { sizeOf } from '@brezel/core';
import { ofNumbers, onlyInput } from '../../checks.js';
import { defineOp, type Numbers } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { everyNumber, float64 } from '../../numbers.js';
import '../densify/index.js';
import { contributions } from './contributions.js';
import { reference } from './reference.js';

/**
 * Defines the operator `platt`, which converts scores to probabilities with Platt's method.
 * `Flow.platt` adds it to a program.
 *
 * Its parameters are `slope` and `offset` (float64): one number for all columns, or one per column.
 */
export const platt = defineOp({
  name: 'platt',
  version: 1,
  doc: {
    does: "Calibrates scores with Platt's method: 1 / (1 + e^(slope * score + offset)).",
    types: 'float32[n] → float32[n]',
    parameters: { slope: 'float64[1] or [n]', offset: 'float64[1] or [n]' },
    kernels: ['platt'],
  },
  parameters: { slope: ['float64'], offset: ['float64'] },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'model' },
  infer(use) {
    const type = ofNumbers('platt', onlyInput('platt', use, 'vector'), 'float32');
    const [slopes, offsets] = [use.parameters.slope!.shape[0]!, use.parameters.offset!.shape[0]!];
    if (slopes !== offsets || (slopes !== 1 && slopes !== sizeOf(type))) {
      throw flourError('ERR_FLOUR_SIZE', {
        expected: `one slope and offset, or ${sizeOf(type)}`,
        received: `${slopes} and ${offsets}`,
        at: 'platt',
      });
    }
    return type;
  },
  reference,
  contributions,
  kernel: () => ({ kernel: 'platt', parameters: ['slope', 'offset'] }),
});

/** Parameters of `Flow.platt`. */
export interface PlattOptions {
  /**
   * One slope for all scores, or one per column (`a_`). The slope is negative if a greater score
   * gives a greater probability.
   */
  readonly slope: number | Numbers;
  /** One offset for all scores, or one per column (`b_`). */
  readonly offset: number | Numbers;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Calibrates scores with Platt's method: 1 / (1 + e^(slope * score + offset)).
     *
     * Shapes: scores `[n]` float32 → probabilities `[n]` float32. Cost: O(n). Computed in float64,
     * rounded once. Bit-equal on every engine. For several classes, pass one slope and one offset
     * per class, then call `.normalize('l1')`.
     * @throws ERR_FLOUR_SIZE unless there is one slope and offset, or one of each per column.
     * @throws ERR_FLOUR_PARAM for a number that is not finite.
     * @see Source: ML.NET PlattCalibrator; scikit-learn CalibratedClassifierCV, method sigmoid.
     * @example scores.platt({ slope: -1.5, offset: 0.25 })
     */
    platt(this: Flow<'vector', Row, unknown>, options: PlattOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.platt = function (this: Flow<'vector'>, options) {
  const [slope, offset] = [options.slope, options.offset].map((one) => (typeof one === 'number' ? [one] : one)) as [
    Numbers,
    Numbers,
  ];
  everyNumber('platt', 'finite slopes', slope, Number.isFinite);
  everyNumber('platt', 'finite offsets', offset, Number.isFinite);
  return this.context.apply<'vector'>(platt, [this.densify()], {
    parameters: { slope: float64(slope), offset: float64(offset) },
  });
};
