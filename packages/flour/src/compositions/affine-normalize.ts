import { sizeOf } from '@brezel/core';
import type { Numbers } from '../define-op.js';
import { Flow } from '../flow.js';
import { everyNumber, float64Array, ofCount } from '../numbers.js';
import '../ops/arithmetic/index.js';
import '../ops/densify/index.js';

/** Statistics and options of `Flow.minMaxNormalize`. */
export interface MinMaxOptions {
  /** Minimum of each column in the training data. */
  readonly minimum: Numbers;
  /** Maximum of each column in the training data. */
  readonly maximum: Numbers;
  /**
   * If true, divides each column by its greatest absolute value in the training data, and subtracts
   * nothing, so that zero stays zero.
   * Default false, but the default of ML.NET is true.
   */
  readonly fixZero?: boolean;
}

/** Statistics and options of `Flow.meanVarianceNormalize`. */
export interface MeanVarianceOptions {
  /** Mean of each column in the training data. */
  readonly mean: Numbers;
  /** Variance of each column in the training data. */
  readonly variance: Numbers;
  /**
   * If true, divides each column by its root mean square in the training data, and subtracts
   * nothing, so that zero stays zero.
   * Default false, but the default of ML.NET is true.
   */
  readonly fixZero?: boolean;
}

declare module '../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Scales each column so that the minimum of the training data becomes 0 and the maximum becomes
     * 1: (x - minimum) * (1 / (maximum - minimum)). A constant column becomes 0, as in ML.NET.
     *
     * Shapes: float32 `[n]` → float32 `[n]`; a sparse row becomes dense. Cost: O(n). Bit-equal on
     * every engine.
     * @throws ERR_FLOUR_SIZE unless `minimum` and `maximum` have one number per column;
     * ERR_FLOUR_PARAM for a number that is not finite.
     * @see Source: ML.NET NormalizeMinMax. For scikit-learn's MinMaxScaler, x * `scale_` + `min_`,
     * use `.arithmetic`.
     * @example features.minMaxNormalize({ minimum: [0, -1], maximum: [1, 3] })
     */
    minMaxNormalize(this: Flow<'vector', Row, unknown>, options: MinMaxOptions): Flow<'vector', Row>;

    /**
     * Scales each column to mean 0 and variance 1: (x - mean) * (1 / deviation). A constant column
     * becomes 0, as in ML.NET.
     *
     * Shapes: float32 `[n]` → float32 `[n]`; a sparse row becomes dense. Cost: O(n). Bit-equal on
     * every engine.
     * @throws ERR_FLOUR_SIZE unless `mean` and `variance` have one number per column;
     * ERR_FLOUR_PARAM for a number that is not finite or a negative variance.
     * @see Source: ML.NET NormalizeMeanVariance. For `useCdf`, see `cdfNormalize`.
     * @example features.meanVarianceNormalize({ mean: [0.5, 2], variance: [1, 4] })
     */
    meanVarianceNormalize(this: Flow<'vector', Row, unknown>, options: MeanVarianceOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.minMaxNormalize = function (this: Flow<'vector'>, { minimum, maximum, fixZero = false }) {
  const [least, greatest] = finite(this, 'min-max', { minimum, maximum });
  const widths = greatest.map((most, at) =>
    !(most > least[at]!) ? 0 : fixZero ? Math.max(Math.abs(most), Math.abs(least[at]!)) : most - least[at]!,
  );
  return affine(this, fixZero ? undefined : least, widths);
};

Flow.prototype.meanVarianceNormalize = function (this: Flow<'vector'>, { mean, variance, fixZero = false }) {
  const [means, variances] = finite(this, 'mean-variance', { mean, variance });
  everyNumber('mean-variance', 'variances of 0 or more', variance, (value) => value >= 0);
  const widths = variances.map((value, at) => (value === 0 ? 0 : Math.sqrt(fixZero ? value + means[at]! ** 2 : value)));
  return affine(this, fixZero ? undefined : means, widths);
};

function finite(
  flow: Flow<'vector'>,
  at: string,
  lists: Readonly<Record<string, Numbers>>,
): [Float64Array, Float64Array] {
  return Object.entries(lists).map(([name, list]) => {
    ofCount(at, name, list, sizeOf(flow.type));
    everyNumber(at, `finite ${name}`, list, Number.isFinite);
    return float64Array(list);
  }) as [Float64Array, Float64Array];
}

/** Computes (x - offset) * (1 / width) for each column. A column with width 0 becomes 0. */
function affine(flow: Flow<'vector'>, offsets: Float64Array | undefined, widths: Float64Array): Flow<'vector'> {
  const scales = Float32Array.from(widths, (width) => (width === 0 ? 0 : 1 / Math.fround(width)));
  const centered =
    offsets === undefined
      ? flow.densify()
      : flow.arithmetic(
          'subtract',
          Float32Array.from(offsets, (offset, at) => (scales[at] === 0 ? 0 : offset)),
        );
  return centered.arithmetic('multiply', scales);
}
