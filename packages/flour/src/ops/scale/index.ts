import { sizeOf } from '@brezel/core';
import { denseLike, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp, float32, type Numbers, numbersOf } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { passesMissing } from '../../missing.js';
import { passesElements } from '../../quality.js';
import '../densify/index.js';
import { scaleRows } from '@brezel/tensors';
import { contributions } from './contributions.js';

/**
 * Defines the operator `scale`, which computes (x - offset) * factor for each column. `Flow.scale`
 * adds it to a program.
 *
 * Types: numbers [n] → float32[n].
 */
export const scale = defineOp({
  name: 'scale',
  version: 1,
  doc: {
    does: 'Computes (x - offset) * factor, per column.',
    types: 'numbers [n] → float32[n]',
    parameters: { offset: 'float32[1] or [n]', factor: 'float32[1] or [n]' },
    kernels: ['scale'],
  },
  parameters: { offset: ['float32'], factor: ['float32'] },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'featurizer' },
  learned: { offset: 'finite', factor: 'finite' },
  infer(use) {
    const input = onlyInput('scale', use, 'scalar', 'vector');
    const type = ofNumbers('scale', input, 'float32', 'float64', 'int64', 'int32');
    for (const name of ['offset', 'factor']) {
      const given = use.parameters[name]?.shape[0] ?? 0;
      if (given !== 1 && given !== sizeOf(type))
        throw flourError('ERR_FLOUR_SIZE', {
          expected: `1 or ${sizeOf(type)} numbers in ${name}`,
          received: `${given}`,
          at: 'scale',
        });
    }
    return denseLike(type, 'float32');
  },
  reference: scaleRows,
  contributions,
  quality(use) {
    const [offset, factor] = ['offset', 'factor'].map((name) => numbersOf(use.parameter(name)));
    const of = (values: typeof offset, element: number) => Number(values![values!.length === 1 ? 0 : element]);
    const scale = Float64Array.from({ length: sizeOf(use.type) }, (_, element) => of(factor, element));
    const shift = scale.map((value, element) => -of(offset, element) * value);
    return { ...passesElements(use), affine: { scale, offset: shift } };
  },
  missing: passesMissing,
  kernel: () => ({ kernel: 'scale', parameters: ['offset', 'factor'] }),
});

/** Parameters of `Flow.scale`. */
export interface ScaleOptions {
  /**
   * The number that is subtracted before the multiplication: one number for all columns, or one per
   * column. Default 0.
   */
  readonly offset?: number | Numbers;
  /**
   * The factor by which the difference is multiplied: one number for all columns, or one per
   * column. Default 1.
   */
  readonly scale?: number | Numbers;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Subtracts an offset and multiplies by a factor: `(x - offset) * scale`, per column.
     *
     * Shapes: dense float32, float64, int64 or int32 `[n]` → float32 `[n]`. The subtraction and the
     * multiplication each round to float32. For float64 numbers, both are computed in float64, and
     * the result is rounded once. Cost: O(n). Bit-equal on every engine.
     * @throws ERR_FLOUR_SIZE unless each option has one number, or one per column.
     * @see Source: ONNX-ML Scaler-1; scikit-learn StandardScaler, RobustScaler, MaxAbsScaler.
     * @example features.scale({ offset: [10, 20], scale: 0.5 })
     */
    scale(this: Flow<'vector', Row, unknown>, options: ScaleOptions): Flow<'vector', Row>;
    scale(this: Flow<'scalar', Row, unknown>, options: ScaleOptions): Flow<'scalar', Row>;
  }
}

const numbers = (given: number | Numbers) => float32(typeof given === 'number' ? [given] : given);

Flow.prototype.scale = function (this: Flow, options: ScaleOptions) {
  const source = this.kind === 'vector' ? (this as Flow<'vector'>).densify() : this;
  const parameters = { offset: numbers(options.offset ?? 0), factor: numbers(options.scale ?? 1) };
  return this.context.apply(scale, [source], { parameters }) as never;
};
