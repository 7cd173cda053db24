import { log, sizeOf } from '@brezel/core';
import type { Numbers } from '../define-op.js';
import { Flow } from '../flow.js';
import { everyNumber, float64Array, ofCount, placeOf, rowsOf } from '../numbers.js';
import { gaussians } from '../ops/gaussian-mixture/index.js';
import type { PosteriorKind } from '../ops/naive-bayes/index.js';
import { type PosteriorOutput, posteriorOutputs } from '../posterior.js';

const at = 'gaussian-naive-bayes';

/** Parameters and options of `Flow.gaussianNaiveBayes`. */
export interface GaussianNaiveBayesOptions<Output extends PosteriorOutput = PosteriorOutput> {
  /**
   * The means, `d` for each class: first the means of class 0, then of class 1, and so on
   * (`theta_.ravel()`).
   */
  readonly theta: Numbers;
  /** Variances, in the order of `theta` (`var_.ravel()`). */
  readonly variance: Numbers;
  /** The prior probability of each class (`class_prior_`). */
  readonly classPrior: Numbers;
  /** The output to compute. Default `probability`. */
  readonly output?: Output;
}

declare module '../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Classifies with Gaussian naive Bayes: one Gaussian with a diagonal covariance per class.
     *
     * Shapes: features `[d]` float32 → `[classes]` float32; `[1]` for `logLikelihood`; int64 for
     * `class`. Cost: O(d * classes). Computed in float64 and rounded once. Bit-equal on every
     * engine.
     * @throws ERR_FLOUR_SIZE unless `theta`, `variance` and `classPrior` match the features and
     * each other.
     * @throws ERR_FLOUR_PARAM for a variance that is not positive, a negative prior, or an unknown
     * output.
     * @see Source: scikit-learn GaussianNB (ONNX Sub, Pow, Div, ReduceSum, ReduceLogSumExp, Exp,
     * ArgMax).
     * @example features.gaussianNaiveBayes({ theta: [0, 0, 3, 4], variance: [1, 1, 2, 2], classPrior: [0.5, 0.5] })
     */
    gaussianNaiveBayes<Output extends PosteriorOutput = 'probability'>(
      this: Flow<'vector', Row, unknown>,
      options: GaussianNaiveBayesOptions<Output>,
    ): Flow<PosteriorKind<Output>, Row>;
  }
}

Flow.prototype.gaussianNaiveBayes = function <Output extends PosteriorOutput = 'probability'>(
  this: Flow<'vector'>,
  { theta, variance, classPrior, output }: GaussianNaiveBayesOptions<Output>,
) {
  const classes = rowsOf(at, 'theta', theta, sizeOf(this.type));
  ofCount(at, 'variance', variance, theta.length);
  ofCount(at, 'classPrior', classPrior, classes);
  if (output !== undefined) placeOf(at, 'output', output, posteriorOutputs);
  everyNumber(at, 'positive variances', variance, (value) => value > 0);
  everyNumber(at, 'priors of 0 or more', classPrior, (value) => value >= 0);
  const diagonals = float64Array(variance).map((value) => 1 / Math.sqrt(value));
  return gaussians<PosteriorKind<Output>>(this, {
    logWeights: float64Array(classPrior).map(log),
    means: float64Array(theta),
    diagonals,
    precisions: diagonals,
    isDiagonal: true,
    output: output ?? 'probability',
  });
};
