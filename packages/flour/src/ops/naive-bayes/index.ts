import { exp, log, type ParameterValue, sizeOf } from '@brezel/core';
import { ofLength, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp, float32, type Numbers } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { everyNumber, float64, float64Array, floatBits, ofCount, placeOf, rowsOf, transposed } from '../../numbers.js';
import { type PosteriorOutput, posteriorOutputs, posteriorType } from '../../posterior.js';
import '../densify/index.js';
import { reference } from './reference.js';

const at = 'naive-bayes';

/**
 * Defines the operator `naive-bayes`, which classifies with multinomial, complement or Bernoulli
 * naive Bayes.
 *
 * Its parameters are `weights` (float64 or float32, feature-major `[features, classes]`) and `bias`
 * (float64 `[classes]`).
 */
export const naiveBayes = defineOp({
  name: at,
  version: 1,
  doc: {
    does: 'Returns likelihoods, probabilities or the most likely class of naive Bayes, in float64.',
    types: 'float32[d], dense or sparse → float32[classes], or int64',
    attributes: {
      binarize: 'threshold of Bernoulli features; null for counts',
      output: 'probability, logProbability, logLikelihood, joint or class',
    },
    parameters: { weights: 'float64 or float32[d, classes], logarithms', bias: 'float64[classes], logarithms' },
    kernels: ['naive_bayes'],
  },
  attributes: { binarize: 'number or null', output: 'infer' },
  parameters: { weights: ['float64', 'float32'], bias: ['float64'] },
  annotations: { cardinality: 'n-to-1', bound: 'memory', state: 'model' },
  learned: { weights: 'number', bias: 'number' },
  infer(use) {
    const input = ofNumbers(at, onlyInput(at, use, 'sparse', 'vector'), 'float32');
    placeOf(at, 'output', use.attributes.output, posteriorOutputs);
    const classes = use.parameters.bias!.shape[0]!;
    ofLength(at, 'weights', use, sizeOf(input) * classes);
    placeOf(at, 'type of weights', use.parameters.weights!.dtype, ['float32', 'float64']);
    return posteriorType(use.attributes.output as PosteriorOutput, classes);
  },
  reference,
  kernel({ attributes }) {
    const threshold = attributes.binarize as number | null;
    return {
      kernel: 'naive_bayes',
      parameters: ['weights', 'bias'],
      attributes: [
        posteriorOutputs.indexOf(attributes.output as PosteriorOutput),
        Number(threshold !== null),
        floatBits(threshold ?? 0),
      ],
    };
  },
});

export type { PosteriorOutput } from '../../posterior.js';

/** Parameters and options of `Flow.multinomialNaiveBayes` and `Flow.complementNaiveBayes`. */
export interface NaiveBayesOptions<Output extends PosteriorOutput = PosteriorOutput> {
  /**
   * The logarithm of each feature's probability, one class after another: `d` numbers per class
   * (`feature_log_prob_.ravel()`). A Float32Array is stored as float32, which takes half the
   * memory; `bernoulliNaiveBayes` always stores float64.
   */
  readonly featureLogProb: Numbers;
  /** The logarithm of each class's prior probability (`class_log_prior_`). */
  readonly classLogPrior: Numbers;
  /** The output to compute. Default `probability`. */
  readonly output?: Output;
}

/** Parameters and options of `Flow.bernoulliNaiveBayes`. */
export interface BernoulliNaiveBayesOptions<Output extends PosteriorOutput = PosteriorOutput>
  extends NaiveBayesOptions<Output> {
  /** A feature is present if its value is greater than this threshold. Default 0. */
  readonly binarize?: number;
}

/**
 * The kind of flow that a method for naive Bayes returns: `scalar` for the output `class`,
 * otherwise `vector`.
 */
export type PosteriorKind<Output extends PosteriorOutput> = Output extends 'class' ? 'scalar' : 'vector';

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Classifies with multinomial naive Bayes. The score of a class is its log prior, plus the sum
     * of each count times the log probability of its feature.
     *
     * Shapes: counts `[d]` float32, sparse or dense → `[classes]` float32, `[1]` for
     * `logLikelihood`, int64 for `class`. Cost: O(nnz * classes). Computed in float64 and rounded
     * once, because probabilities are exponentials of differences of large sums. Bit-equal on every
     * engine.
     * @throws ERR_FLOUR_SIZE unless `featureLogProb` has `d` numbers per class.
     * @throws ERR_FLOUR_PARAM for an unknown output.
     * @see Source: scikit-learn MultinomialNB (ONNX MatMul, Add, ReduceLogSumExp, Exp, ArgMax).
     * @example counts.multinomialNaiveBayes({ featureLogProb: [-0.2, -1.7, -1.1, -0.4], classLogPrior: [-0.7, -0.7] })
     */
    multinomialNaiveBayes<Output extends PosteriorOutput = 'probability'>(
      this: Flow<'vector', Row, unknown>,
      options: NaiveBayesOptions<Output>,
    ): Flow<PosteriorKind<Output>, Row>;

    /**
     * Classifies with complement naive Bayes. It differs from multinomial naive Bayes only in its
     * weights, which scikit-learn computes from the rows of the other classes. As in scikit-learn,
     * the prior is used only if the model has a single class.
     *
     * The shapes, the cost and the errors are the same as in `multinomialNaiveBayes`.
     * @see Source: scikit-learn ComplementNB.
     * @example counts.complementNaiveBayes({ featureLogProb: [1.2, 0.3, 0.4, 0.9], classLogPrior: [-0.7, -0.7], output: 'class' })
     */
    complementNaiveBayes<Output extends PosteriorOutput = 'probability'>(
      this: Flow<'vector', Row, unknown>,
      options: NaiveBayesOptions<Output>,
    ): Flow<PosteriorKind<Output>, Row>;

    /**
     * Classifies with Bernoulli naive Bayes. Each feature is present or absent, and absent features
     * also change the probability of a class.
     *
     * The shapes, the cost and the errors are the same as in `multinomialNaiveBayes`. If the
     * threshold is negative, a sparse row becomes dense. A feature that is NaN counts as absent.
     * @throws ERR_FLOUR_PARAM for a log probability that is not below 0, because an absent feature
     * would have no likelihood.
     * @see Source: scikit-learn BernoulliNB (ONNX Greater, Cast, MatMul, Add, ReduceLogSumExp, Exp,
     * ArgMax).
     * @example counts.bernoulliNaiveBayes({ featureLogProb: [-0.2, -1.7, -1.1, -0.4], classLogPrior: [-0.7, -0.7], binarize: 0.5 })
     */
    bernoulliNaiveBayes<Output extends PosteriorOutput = 'probability'>(
      this: Flow<'vector', Row, unknown>,
      options: BernoulliNaiveBayesOptions<Output>,
    ): Flow<PosteriorKind<Output>, Row>;
  }
}

/**
 * Applies the operator `naive-bayes`. `rows` holds the weights of one class after another, and
 * `bias` one number per class.
 */
function classifier(
  flow: Flow<'vector'>,
  rows: Float64Array<ArrayBuffer> | Float32Array,
  bias: Float64Array<ArrayBuffer>,
  attributes: { readonly output: PosteriorOutput; readonly binarize: number | null },
): Flow<never> {
  const classes = bias.length;
  const features = sizeOf(flow.type);
  return flow.context.apply<never>(naiveBayes, [flow], {
    attributes,
    parameters: { weights: weightsOf(rows, [features, classes]), bias: float64(bias) },
  });
}

function weightsOf(rows: Float64Array | Float32Array, [features, classes]: readonly [number, number]): ParameterValue {
  if (rows instanceof Float64Array) return float64(transposed(rows, classes, features), [features, classes]);
  return float32(transposed(rows, classes, features), [features, classes]);
}

function checked(flow: Flow<'vector'>, { featureLogProb, classLogPrior }: NaiveBayesOptions) {
  const classes = rowsOf(at, 'featureLogProb', featureLogProb, sizeOf(flow.type));
  ofCount(at, 'classLogPrior', classLogPrior, classes);
  const rows = featureLogProb instanceof Float32Array ? featureLogProb : float64Array(featureLogProb);
  return { rows, prior: float64Array(classLogPrior), classes };
}

Flow.prototype.multinomialNaiveBayes = function (this: Flow<'vector'>, options) {
  const { rows, prior } = checked(this, options);
  return classifier(this, rows, prior, { output: options.output ?? 'probability', binarize: null });
};

Flow.prototype.complementNaiveBayes = function (this: Flow<'vector'>, options) {
  const { rows, prior, classes } = checked(this, options);
  const bias = classes === 1 ? prior : new Float64Array(classes);
  return classifier(this, rows, bias, { output: options.output ?? 'probability', binarize: null });
};

Flow.prototype.bernoulliNaiveBayes = function (this: Flow<'vector'>, options) {
  const { rows: given, prior, classes } = checked(this, options);
  const rows = float64Array(given);
  const binarize = Math.fround(options.binarize ?? 0);
  everyNumber(at, 'a finite threshold', [binarize], Number.isFinite);
  everyNumber(at, 'log probabilities below 0', rows, (value) => value < 0);
  // The bias is the score of a row in which all features are absent. A present feature adds the
  // difference between its present and absent log likelihoods.
  const absent = rows.map((value) => log(1 - exp(value)));
  const features = rows.length / classes;
  const bias = prior.map((value, one) =>
    absent.subarray(one * features, (one + 1) * features).reduce((sum, term) => sum + term, value),
  );
  const differences = rows.map((value, place) => value - absent[place]!);
  return classifier(binarize < 0 ? this.densify() : this, differences, bias, {
    output: options.output ?? 'probability',
    binarize,
  });
};
