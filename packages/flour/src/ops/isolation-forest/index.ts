import { log, scalar, sizeOf, vector } from '@brezel/core';
import { ofLength, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp, type Numbers } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { everyNumber, float64, integerIn, ofCount, placeOf } from '../../numbers.js';
import '../tree-ensemble/index.js';
import type { Forest } from '../tree-ensemble/index.js';
import { LEAF } from '../tree-ensemble/reference.js';
import { checkTreesApart } from '../tree-featurize/forest-numbers.js';
import { type IsolationOutput, isolationOutputs, reference } from './reference.js';

export type { IsolationOutput } from './reference.js';

const at = 'isolation-forest';

/**
 * Defines the operator `isolation-score`, which computes the score of a row from the sum of the
 * row's path lengths in all trees. The parameter `constants` (float64) holds the number of trees,
 * the expected path length and the offset.
 */
export const isolationScore = defineOp({
  name: 'isolation-score',
  version: 1,
  doc: {
    does: 'Computes the score of an isolation forest from its path lengths.',
    types: 'float32[1], the sum of path lengths → float32[1], or int64',
    attributes: { output: 'pathLength, score, decision or label' },
    parameters: { constants: 'float64[3]: number of trees, expected path length, offset of the decision' },
    kernels: ['isolation_score'],
  },
  attributes: { output: 'infer' },
  parameters: { constants: ['float64'] },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none' },
  infer(use) {
    const input = ofNumbers('isolation-score', onlyInput('isolation-score', use, 'vector'), 'float32');
    if (sizeOf(input) !== 1)
      throw flourError('ERR_FLOUR_SIZE', { expected: 'one sum', received: `${sizeOf(input)}`, at: 'isolation-score' });
    ofLength('isolation-score', 'constants', use, 3);
    placeOf('isolation-score', 'output', use.attributes.output, isolationOutputs);
    return use.attributes.output === 'label' ? scalar('int64') : vector('float32', 1);
  },
  reference,
  kernel: ({ attributes }) => ({
    kernel: 'isolation_score',
    parameters: ['constants'],
    attributes: [isolationOutputs.indexOf(attributes.output as IsolationOutput)],
  }),
});

/**
 * The branches of a forest, without the values of its leaves. Path lengths do not depend on these
 * values.
 */
export type Structure = Pick<
  Forest,
  'feature' | 'threshold' | 'mode' | 'trueChild' | 'falseChild' | 'missingTrue' | 'roots'
>;

/** Parameters and options of `Flow.isolationForest`. */
export interface IsolationForestOptions<Output extends IsolationOutput = IsolationOutput> {
  /**
   * The trees. Feature indexes refer to the whole row, even if each tree was trained on a subset of
   * the features.
   */
  readonly forest: Structure;
  /**
   * The number of training samples in each node (`n_node_samples`). Only the entries of leaves are
   * used.
   */
  readonly samples: Numbers;
  /** The number of training samples of each tree (`max_samples_`). */
  readonly maxSamples: number;
  /** The number that is subtracted from the score to get the decision (`offset_`). Default -0.5. */
  readonly offset?: number;
  /**
   * The number to return: the average path length (`pathLength`), `score` (`score_samples`),
   * `decision` (`decision_function`, default), or `label`, which is -1 for outliers and otherwise
   * 1.
   */
  readonly output?: Output;
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Scores how isolated a row is. The score depends on the lengths of the paths of the row
     * through random trees. A row with short paths is an outlier.
     *
     * Shapes: dense float32 `[d]` → float32 `[1]`, int64 for `label`. Cost: O(trees * depth). Path
     * lengths are added in float32 in the order of the trees. The output is computed from their sum
     * in float64 and rounded once. Bit-equal on every engine.
     * @throws ERR_FLOUR_PARAM for a malformed forest, trees that share a node, or a sample count
     * below 1 or with a fraction.
     * @throws ERR_FLOUR_SIZE unless `samples` has one number per node; also if trees read more
     * features than the row has.
     * @see Source: scikit-learn IsolationForest; exported as TreeEnsembleRegressor, LabelEncoder
     * and arithmetic for each tree.
     * @example features.isolationForest({ forest, samples: [4], maxSamples: 4, output: 'score' })
     */
    isolationForest<Output extends IsolationOutput = 'decision'>(
      this: Flow<'vector', Row, unknown>,
      options: IsolationForestOptions<Output>,
    ): Flow<Output extends 'label' ? 'scalar' : 'vector', Row>;
  }
}

/**
 * Returns the average path length of an unsuccessful search in a binary search tree with this many
 * samples (scikit-learn's `_average_path_length`).
 */
export function averagePathLength(samples: number): number {
  if (samples <= 1) return 0;
  if (samples === 2) return 1;
  return 2 * (log(samples - 1) + 0.5772156649015329) - (2 * (samples - 1)) / samples;
}

Flow.prototype.isolationForest = function <Output extends IsolationOutput = 'decision'>(
  this: Flow<'vector'>,
  { forest, samples, maxSamples, offset = -0.5, output }: IsolationForestOptions<Output>,
) {
  ofCount(at, 'samples', samples, forest.mode.length);
  everyNumber(at, 'samples of 1 or more', samples, (count) => Number.isInteger(count) && count >= 1);
  integerIn(at, 'maxSamples', maxSamples, 1, Number.MAX_SAFE_INTEGER);
  everyNumber(at, 'a finite offset', [offset], Number.isFinite);
  checkTreesApart(at, forest);
  const constants = Float64Array.of(forest.roots.length, averagePathLength(maxSamples), offset);
  const lengths = this.treeEnsemble(withPathLengths(forest, samples));
  return this.context.apply<Output extends 'label' ? 'scalar' : 'vector'>(isolationScore, [lengths], {
    attributes: { output: output ?? 'decision' },
    parameters: { constants: float64(constants) },
  });
};

/**
 * Returns the forest with a path length as the value of each leaf. The path length is the number of
 * branches above the leaf, plus the average path length of the leaf's samples.
 */
function withPathLengths(forest: Structure, samples: Numbers): Forest {
  const depth = new Int32Array(forest.mode.length);
  forest.mode.forEach((mode, node) => {
    if (mode === LEAF) return;
    // A child has a greater index than its parent. Otherwise treeEnsemble reports an error.
    depth[forest.trueChild[node]!] = depth[node]! + 1;
    depth[forest.falseChild[node]!] = depth[node]! + 1;
  });
  const leaves = Array.from(forest.mode.keys()).filter((node) => forest.mode[node] === LEAF);
  let start = 0;
  return {
    ...forest,
    leafStart: Int32Array.from([0, ...Array.from(forest.mode, (mode) => (start += mode === LEAF ? 1 : 0))]),
    leafTarget: new Int32Array(leaves.length),
    leafWeight: Float32Array.from(leaves, (node) => depth[node]! + averagePathLength(Number(samples[node]))),
    base: Float32Array.of(0),
  };
}
