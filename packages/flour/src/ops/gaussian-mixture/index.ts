import { log, sizeOf } from '@brezel/core';
import { ofNumbers, onlyInput } from '../../checks.js';
import { defineOp, type Numbers } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { everyNumber, float64, float64Array, ofCount, placeOf, rowsOf } from '../../numbers.js';
import { type PosteriorOutput, posteriorOutputs, posteriorType } from '../../posterior.js';
import '../densify/index.js';
import type { PosteriorKind } from '../naive-bayes/index.js';
import { reference } from './reference.js';

const at = 'gaussian-mixture';
const covarianceTypes = ['full', 'tied', 'diag', 'spherical'] as const;

/**
 * Defines the operator `gaussian-mixture`, which computes likelihoods or probabilities of the
 * components of a mixture, or selects the most likely component.
 *
 * Its parameters are float64: `means` `[components, features]`, `precisions` (Cholesky factors of
 * the inverse covariance matrices) and `constants` `[components]`.
 */
export const gaussianMixture = defineOp({
  name: at,
  version: 1,
  doc: {
    does: 'Computes likelihoods or probabilities of the components of a Gaussian mixture, or selects the most likely component.',
    types: 'float32[d] → float32[components], or int64',
    attributes: {
      diagonal: 'whether precisions are one number per feature',
      output: 'probability, logProbability, logLikelihood, joint or class',
    },
    parameters: {
      means: 'float64[components, d]',
      precisions: 'float64, the Cholesky factors of the inverse covariance matrices',
      constants: 'float64[components], the terms that do not depend on the row',
    },
    kernels: ['gaussian_mixture'],
  },
  attributes: { diagonal: 'boolean', output: 'infer' },
  parameters: { means: ['float64'], precisions: ['float64'], constants: ['float64'] },
  annotations: { cardinality: 'n-to-1', bound: 'compute', state: 'model' },
  learned: { means: 'finite', precisions: 'finite', constants: 'number' },
  infer(use) {
    const features = sizeOf(ofNumbers(at, onlyInput(at, use, 'vector'), 'float32'));
    placeOf(at, 'output', use.attributes.output, posteriorOutputs);
    const components = use.parameters.constants!.shape[0]!;
    const [precisions, means] = [use.parameters.precisions!.shape[0]!, use.parameters.means!.shape[0]!];
    const factors = use.attributes.diagonal === true ? features : features * features;
    if (means !== components * features || (precisions !== factors && precisions !== components * factors)) {
      throw flourError('ERR_FLOUR_SIZE', {
        expected: `${components * features} means and ${factors} or ${components * factors} precisions`,
        received: `${means} and ${precisions}`,
        at,
      });
    }
    return posteriorType(use.attributes.output as PosteriorOutput, components);
  },
  reference,
  kernel: ({ attributes }) => ({
    kernel: 'gaussian_mixture',
    parameters: ['means', 'precisions', 'constants'],
    attributes: [posteriorOutputs.indexOf(attributes.output as PosteriorOutput), Number(attributes.diagonal)],
  }),
});

/** The form of the covariance matrices, named as in scikit-learn's GaussianMixture. */
export type CovarianceType = (typeof covarianceTypes)[number];

/** Parameters and options of `Flow.gaussianMixture`. */
export interface GaussianMixtureOptions<Output extends PosteriorOutput = PosteriorOutput> {
  /** One positive weight per component (`weights_`). */
  readonly weights: Numbers;
  /** The means, one component after another: `d` numbers per component (`means_.ravel()`). */
  readonly means: Numbers;
  /**
   * The Cholesky factors of the precision matrices (`precisions_cholesky_.ravel()`). `full`: `d *
   * d` numbers per component. `tied`: `d * d` numbers for all components. `diag`: `d` numbers per
   * component. `spherical`: one number per component. All diagonals are positive.
   */
  readonly precisionsCholesky: Numbers;
  /**
   * The form of the covariance matrices, which determines the length of `precisionsCholesky`.
   * Default `full`.
   */
  readonly covarianceType?: CovarianceType;
  /** The output to compute. Default `probability`. */
  readonly output?: Output;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Evaluates a Gaussian mixture. `output` selects the result, for example the probability of
     * each component (`probability`), the index of the most likely component (`class`), or the
     * logarithm of the row's likelihood (`logLikelihood`).
     *
     * Shapes: features `[d]` float32 → `[components]` float32, `[1]` for `logLikelihood`, int64 for
     * `class`. Cost: O(components * d * d), or O(components * d) for `diag` and `spherical`.
     * Computed in float64 and rounded once. Bit-equal on every engine.
     * @throws ERR_FLOUR_SIZE unless means and precisions match the features and the components.
     * @throws ERR_FLOUR_PARAM for a weight or a diagonal that is not positive, or an unknown
     * output.
     * @see Source: scikit-learn GaussianMixture `predict_proba`, `predict`, `score_samples`;
     * BayesianGaussianMixture has other constants.
     * @example features.gaussianMixture({ weights: [0.5, 0.5], means: [0, 0, 3, 4], precisionsCholesky: [1, 0.5], covarianceType: 'spherical' })
     */
    gaussianMixture<Output extends PosteriorOutput = 'probability'>(
      this: Flow<'vector', Row, unknown>,
      options: GaussianMixtureOptions<Output>,
    ): Flow<PosteriorKind<Output>, Row>;
  }
}

Flow.prototype.gaussianMixture = function <Output extends PosteriorOutput = 'probability'>(
  this: Flow<'vector'>,
  options: GaussianMixtureOptions<Output>,
) {
  const { weights, means, precisionsCholesky, covarianceType = 'full' } = options;
  placeOf(at, 'covarianceType', covarianceType, covarianceTypes);
  const features = sizeOf(this.type);
  const components = rowsOf(at, 'means', means, features);
  ofCount(at, 'weights', weights, components);
  everyNumber(at, 'positive weights', weights, (value) => value > 0);
  const given = float64Array(precisionsCholesky);
  const diagonals = diagonalsOf(given, covarianceType, components, features);
  everyNumber(at, 'positive diagonals of precisionsCholesky', diagonals, (value) => value > 0);
  const isDiagonal = covarianceType === 'diag' || covarianceType === 'spherical';
  return gaussians<PosteriorKind<Output>>(this, {
    logWeights: float64Array(weights).map(log),
    means: float64Array(means),
    diagonals,
    precisions: isDiagonal ? diagonals : given,
    isDiagonal,
    output: options.output ?? 'probability',
  });
};

/**
 * Returns the diagonals of the precision factors, one component after another, for any covariance
 * type. Checks the length of the list.
 */
function diagonalsOf(
  given: Float64Array,
  type: CovarianceType,
  components: number,
  features: number,
): Float64Array<ArrayBuffer> {
  const perComponent = { full: features * features, tied: 0, diag: features, spherical: 1 }[type];
  ofCount(
    at,
    'precisionsCholesky',
    given as Float64Array<ArrayBuffer>,
    perComponent * components || features * features,
  );
  const step = type === 'diag' ? 1 : type === 'spherical' ? 0 : features + 1;
  return Float64Array.from(
    { length: components * features },
    (_, place) => given[Math.floor(place / features) * perComponent + (place % features) * step]!,
  );
}

/** Gaussian components in the form that the operator `gaussian-mixture` stores, in float64. */
export interface Gaussians {
  /** The logarithm of the weight of each component. */
  readonly logWeights: Float64Array;
  /** The means, one component after another. */
  readonly means: Float64Array<ArrayBuffer>;
  /** The diagonals of the precision factors, one component after another. */
  readonly diagonals: Float64Array;
  /** The precision factors: a matrix per component, one matrix for all, or the diagonals. */
  readonly precisions: Float64Array<ArrayBuffer>;
  /** Whether `precisions` holds only diagonals. */
  readonly isDiagonal: boolean;
  /** The output to compute. */
  readonly output: PosteriorOutput;
}

/**
 * Applies the operator `gaussian-mixture`. The parameter `constants` holds, for each component, the
 * sum of the terms that do not depend on the row.
 */
export function gaussians<Kind extends 'vector' | 'scalar'>(flow: Flow<'vector'>, model: Gaussians): Flow<Kind> {
  const features = sizeOf(flow.type);
  const constants = model.logWeights.map((logWeight, component) => {
    const own = model.diagonals.subarray(component * features, (component + 1) * features);
    const logDeterminant = own.reduce((sum, value) => sum + log(value), 0);
    return logWeight + logDeterminant - 0.5 * features * log(2 * Math.PI);
  });
  return flow.context.apply<Kind>(gaussianMixture, [flow.densify()], {
    attributes: { output: model.output, diagonal: model.isDiagonal },
    parameters: {
      means: float64(model.means),
      precisions: float64(model.precisions),
      constants: float64(Float64Array.from(constants)),
    },
  });
}
