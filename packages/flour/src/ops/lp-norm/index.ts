import { ofNumbers, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { everyNumber, floatBits, placeOf } from '../../numbers.js';
import '../densify/index.js';
import { type LpNorm, lpNorms, reference } from './reference.js';

export type { LpNorm } from './reference.js';

/**
 * Defines the operator `lp-norm`, which divides each row by its norm. With `subtractMean`, it
 * subtracts the mean of the row first. `Flow.lpNorm` adds it to a program.
 *
 * Types: float32[n] → float32[n].
 */
export const lpNorm = defineOp({
  name: 'lp-norm',
  version: 1,
  doc: {
    does: 'Divides each row by its norm. With subtractMean, subtracts the mean of the row first.',
    types: 'float32[n] → float32[n]',
    attributes: {
      norm: 'l1, l2, deviation or infinity',
      scale: 'factor of the result',
      subtractMean: 'whether to subtract the mean first',
    },
    kernels: ['lp_norm'],
  },
  attributes: { norm: 'infer', scale: 'number', subtractMean: 'boolean' },
  annotations: { cardinality: 'n-to-1', bound: 'memory', state: 'none', breaker: true },
  infer(use) {
    placeOf('lp-norm', 'norm', use.attributes.norm, lpNorms);
    return ofNumbers('lp-norm', onlyInput('lp-norm', use, 'vector'), 'float32');
  },
  reference,
  kernel: ({ attributes }) => ({
    kernel: 'lp_norm',
    attributes: [
      lpNorms.indexOf(attributes.norm as LpNorm),
      Number(attributes.subtractMean),
      floatBits(attributes.scale as number),
    ],
  }),
});

/** Options of `Flow.lpNorm`. */
export interface LpNormOptions {
  /**
   * The norm of a row. `l1`: the sum of absolute values. `l2` (default): the Euclidean length.
   * `deviation`: the standard deviation. `infinity`: the greatest absolute value.
   */
  readonly norm?: LpNorm;
  /** If true, subtracts the mean of the row first. Default false. */
  readonly subtractMean?: boolean;
  /** A factor by which every result is multiplied. Default 1. */
  readonly scale?: number;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Divides each row by its norm. With `subtractMean`, it subtracts the mean of the row first
     * (global contrast normalization). A row with norm 0 is not divided, only multiplied by
     * `scale`. A factor (scale / norm, or `scale`) below 1e-8 is replaced by 1, as in ML.NET.
     *
     * Shapes: `[n]` float32 → `[n]` float32; a sparse row becomes dense. Cost: O(n). Each number is
     * multiplied by scale / norm in float32. Bit-equal on every engine. For models of ONNX and
     * scikit-learn, use `normalize`: it subtracts no mean, and a sparse row stays sparse.
     * @throws ERR_FLOUR_PARAM for an unknown norm, or a scale that is not positive and finite.
     * @see Source: ML.NET NormalizeLpNorm (`ensureZeroMean`) and NormalizeGlobalContrast
     * (`subtractMean: true`).
     * @example features.lpNorm({ norm: 'deviation', subtractMean: true })
     */
    lpNorm(this: Flow<'vector', Row, unknown>, options?: LpNormOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.lpNorm = function (this: Flow<'vector'>, { norm = 'l2', subtractMean = false, scale = 1 } = {}) {
  everyNumber('lp-norm', 'a positive scale', [Math.fround(scale)], (value) => value > 0 && Number.isFinite(value));
  return this.context.apply<'vector'>(lpNorm, [this.densify()], { attributes: { norm, subtractMean, scale } });
};
