import { scalar, sizeOf, vector } from '@brezel/core';
import { ofLength, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp, float32, int32, type Numbers, numbersOf, type OperatorUse } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { checkStarts } from '../../numbers.js';
import { pairScores, pairVotes, pairwiseProbabilities } from './reference.js';

const pairsOf = (classes: number) => (classes * (classes - 1)) / 2;

/**
 * Defines the operator `svm-pairs`, which computes one score for each pair of classes from the
 * values of the SVM's kernel function. The pairs are (0, 1), (0, 2), ..., (1, 2), ...
 */
export const svmPairs = defineOp({
  name: 'svm-pairs',
  version: 1,
  doc: {
    does: 'Computes one score for each pair of classes from the values of the kernel function.',
    types: 'float32[support vectors] → float32[pairs]',
    parameters: {
      coefficients: 'float32[classes - 1, support vectors]',
      rho: 'float32[pairs]',
      starts: 'int32[classes + 1], index of the first support vector of each class, then the number of support vectors',
    },
    kernels: ['svm_pairs'],
  },
  parameters: { coefficients: ['float32'], rho: ['float32'], starts: ['int32'] },
  annotations: { cardinality: 'n-to-1', bound: 'compute', state: 'model' },
  learned: { coefficients: 'finite', rho: 'number' },
  infer(use) {
    const vectors = sizeOf(ofNumbers('svm-pairs', onlyInput('svm-pairs', use, 'vector'), 'float32'));
    const classes = (use.parameters.starts?.shape[0] ?? 0) - 1;
    if (classes < 2)
      throw flourError('ERR_FLOUR_PARAM', {
        expected: 'at least two classes',
        received: `${classes}`,
        at: 'svm-pairs',
      });
    ofLength('svm-pairs', 'coefficients', use, (classes - 1) * vectors);
    ofLength('svm-pairs', 'rho', use, pairsOf(classes));
    return vector('float32', pairsOf(classes));
  },
  reference: pairScores,
  check({ inputs, parameters }) {
    checkStarts('svm-pairs', numbersOf(parameters.starts!) as Int32Array, sizeOf(inputs[0]!));
  },
  kernel: () => ({ kernel: 'svm_pairs', parameters: ['coefficients', 'rho', 'starts'] }),
});

function checkPairs(at: string, use: OperatorUse): number {
  const pairs = sizeOf(ofNumbers(at, onlyInput(at, use, 'vector'), 'float32'));
  const classes = use.attributes.classes as number;
  if (!(Number.isInteger(classes) && classes >= 2 && pairsOf(classes) === pairs))
    throw flourError('ERR_FLOUR_SIZE', {
      expected: `one score for each pair of ${classes} classes`,
      received: `${pairs}`,
      at,
    });
  return pairs;
}

/** Defines the operator `svm-votes`, which returns the class that wins the most pairs. */
export const svmVotes = defineOp({
  name: 'svm-votes',
  version: 1,
  doc: {
    does: 'Returns the index of the class that wins the most pairs, or the first of several such classes.',
    types: 'float32[pairs] → int64',
    attributes: { classes: 'number of classes' },
    kernels: ['svm_votes'],
  },
  attributes: { classes: 'infer' },
  annotations: { cardinality: 'n-to-1', bound: 'memory', state: 'none' },
  infer(use) {
    checkPairs('svm-votes', use);
    return scalar('int64');
  },
  reference: pairVotes,
  kernel: ({ attributes }) => ({ kernel: 'svm_votes', attributes: [attributes.classes as number] }),
});

/**
 * Defines the operator `svm-probabilities`, which converts the scores of pairs to class
 * probabilities, as libsvm does.
 */
export const svmProbabilities = defineOp({
  name: 'svm-probabilities',
  version: 1,
  doc: {
    does: "Converts the scores of pairs to class probabilities: applies Platt's sigmoid to each pair, and combines the pairs.",
    types: 'float32[pairs] → float32[classes]',
    attributes: { classes: 'number of classes' },
    parameters: { slope: 'float32[pairs]', offset: 'float32[pairs]' },
    kernels: ['svm_probabilities'],
  },
  attributes: { classes: 'infer' },
  parameters: { slope: ['float32'], offset: ['float32'] },
  annotations: { cardinality: 'n-to-1', bound: 'compute', state: 'model' },
  learned: { slope: 'finite', offset: 'finite' },
  infer(use) {
    const pairs = checkPairs('svm-probabilities', use);
    ofLength('svm-probabilities', 'slope', use, pairs);
    ofLength('svm-probabilities', 'offset', use, pairs);
    return vector('float32', use.attributes.classes as number);
  },
  reference: pairwiseProbabilities,
  kernel: ({ attributes }) => ({
    kernel: 'svm_probabilities',
    parameters: ['slope', 'offset'],
    attributes: [attributes.classes as number],
  }),
});

/** Parameters of `Flow.svmPairs`. */
export interface SvmPairsOptions {
  /**
   * Number of support vectors of each class. The support vectors of class 0 come first, then those
   * of class 1, and so on.
   */
  readonly vectorsPerClass: Numbers;
  /**
   * The coefficients in libsvm's layout: `classes - 1` rows, each with one coefficient per support
   * vector.
   */
  readonly coefficients: Numbers;
  /** The offset of each pair of classes. */
  readonly rho: Numbers;
}

/** Parameters of `Flow.svmProbabilities`. */
export interface PairwisePlattOptions {
  /** Number of classes. */
  readonly classes: number;
  /** The slope A of Platt's sigmoid for each pair of classes. `offset` holds B. */
  readonly slope: Numbers;
  readonly offset: Numbers;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Computes one score for each pair of classes from the values of the SVM's kernel function
     * (`svmKernel`). If the score is above zero, the first class of the pair wins.
     *
     * Shapes: dense float32 `[support vectors]` → `[classes * (classes - 1) / 2]` float32. Products
     * are float32; their sum is float64 in order, rounded once. Cost: O(support vectors * classes).
     * Bit-equal on every engine.
     * @throws ERR_FLOUR_PARAM for fewer than two classes; ERR_FLOUR_SIZE for lists that do not
     * match.
     * @see Source: ONNX-ML SVMClassifier-1; libsvm.
     * @example features.svmKernel({ kernel: 'linear', supportVectors: [0, 1, 1, 0] }).svmPairs({ vectorsPerClass: [1, 1], coefficients: [1, -1], rho: [0] })
     */
    svmPairs(this: Flow<'vector', Row, unknown>, options: SvmPairsOptions): Flow<'vector', Row>;
    /**
     * Returns the index of the class that wins the most pairs. If several classes win equally many
     * pairs, it returns the first of them.
     *
     * Shapes: `[classes * (classes - 1) / 2]` float32 → int64. Cost: O(pairs).
     * @throws ERR_FLOUR_SIZE unless there is one score per pair.
     * @see Source: ONNX-ML SVMClassifier-1; libsvm.
     * @example features.svmKernel({ kernel: 'linear', supportVectors: [0, 1, 1, 0] }).svmPairs({ vectorsPerClass: [1, 1], coefficients: [1, -1], rho: [0] }).svmVotes(2)
     */
    svmVotes(this: Flow<'vector', Row, unknown>, classes: number): Flow<'scalar', Row>;
    /**
     * Converts the scores of pairs to class probabilities. Platt's sigmoid gives a probability for
     * each pair; the second method of Wu, Lin and Weng combines them to class probabilities.
     *
     * Shapes: `[classes * (classes - 1) / 2]` float32 → `[classes]` float32. Computed in float64,
     * rounded once. Cost: at most O(100 * classes^2).
     * @throws ERR_FLOUR_SIZE unless each list has one number per pair.
     * @see Source: ONNX-ML SVMClassifier-1 with prob_a and prob_b; libsvm.
     * @example features.svmKernel({ kernel: 'linear', supportVectors: [0, 1, 1, 0] }).svmPairs({ vectorsPerClass: [1, 1], coefficients: [1, -1], rho: [0] }).svmProbabilities({ classes: 2, slope: [-1], offset: [0] })
     */
    svmProbabilities(this: Flow<'vector', Row, unknown>, options: PairwisePlattOptions): Flow<'vector', Row>;
  }
}

Flow.prototype.svmPairs = function (this: Flow<'vector'>, { vectorsPerClass, coefficients, rho }) {
  const vectors = sizeOf(this.type);
  let next = 0;
  const starts = [0, ...Array.from(vectorsPerClass as ArrayLike<number>, (count) => (next += Number(count)))];
  const grows = starts.every((start, at) => Number.isInteger(start) && (at === 0 || start >= starts[at - 1]!));
  if (!grows || next !== vectors)
    throw flourError('ERR_FLOUR_SIZE', {
      expected: `${vectors} support vectors in vectorsPerClass`,
      received: `${next}`,
      at: 'svm-pairs',
    });
  return this.context.apply<'vector'>(svmPairs, [this], {
    parameters: { coefficients: float32(coefficients), rho: float32(rho), starts: int32(starts) },
  });
};

Flow.prototype.svmVotes = function (this: Flow<'vector'>, classes) {
  return this.context.apply<'scalar'>(svmVotes, [this], { attributes: { classes } });
};

Flow.prototype.svmProbabilities = function (this: Flow<'vector'>, { classes, slope, offset }) {
  return this.context.apply<'vector'>(svmProbabilities, [this], {
    attributes: { classes },
    parameters: { slope: float32(slope), offset: float32(offset) },
  });
};
