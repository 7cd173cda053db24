import { dtypeOf } from '@brezel/core';
import { MAX_COLUMNS } from '../../checks.js';
import type { Flow } from '../../flow.js';
import { type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import { completedScores } from '../binary-scores/onnx-scores.js';
import { featuresOf } from '../cast/features.js';
import { type Aggregate, aggregates } from '../forest/reference.js';
import { classLabels } from '../lookup/labels.js';
import { postTransform } from '../softmax/post-transform.js';
import '../select-columns/index.js';
import '../threshold/index.js';
import { applyForest, type FileForest, isPositive } from './file-forest.js';
import { floats, readForest } from './read-onnx.js';
import { readForest5 } from './read-onnx-5.js';

export const onnx = onnxMappings(
  { domain: 'ai.onnx.ml', operator: 'TreeEnsembleClassifier', versions: [1, 5], convert: classifier },
  { domain: 'ai.onnx.ml', operator: 'TreeEnsembleRegressor', versions: [1, 5], convert: (use) => [regressor(use)] },
  { domain: 'ai.onnx.ml', operator: 'TreeEnsemble', versions: [5, 5], convert: (use) => [ensemble(use)] },
);

/**
 * Returns the features in the type that the forest compares: float64 features stay float64, and
 * other features become float32.
 */
function treeFeatures(use: OnnxUse): Flow<'vector'> {
  const flow = use.row(0);
  return dtypeOf(flow.type) === 'float64' && flow.kind === 'vector' ? (flow as Flow<'vector'>) : featuresOf(use);
}

const toFloat = (scores: Flow<'vector'>) => (dtypeOf(scores.type) === 'float32' ? scores : scores.cast('float32'));

function regressor(use: OnnxUse): Flow {
  const name = use.attributes.string('aggregate_function', 'SUM').toLowerCase() as Aggregate;
  if (!aggregates.includes(name)) throw use.unsupported(`aggregate_function ${name.toUpperCase()}`);
  const base = baseValues(use, targetsOf(use, use.attributes.int('n_targets', 1), 'target_ids'));
  const scores = toFloat(applyForest(treeFeatures(use), readForest(use, 'target', base), name));
  return postTransform(use, scores, use.attributes.string('post_transform', 'NONE'), 'regressor');
}

/**
 * The aggregates in the order of their numbers in TreeEnsemble-5. Older operators store the name of
 * the aggregate.
 */
const aggregates5: readonly Aggregate[] = ['average', 'sum', 'min', 'max'];
const transforms5 = ['NONE', 'SOFTMAX', 'LOGISTIC', 'SOFTMAX_ZERO', 'PROBIT'];

function ensemble(use: OnnxUse): Flow {
  const aggregate = aggregates5[use.attributes.int('aggregate_function', 1)];
  const transform = transforms5[use.attributes.int('post_transform', 0)];
  if (aggregate === undefined || transform === undefined)
    throw use.unsupported(
      `aggregate_function ${use.attributes.int('aggregate_function', 1)}, post_transform ${use.attributes.int('post_transform', 0)}`,
    );
  const targets = targetsOf(use, use.attributes.int('n_targets'), 'leaf_targetids');
  const forest = readForest5(use, new Float64Array(targets));
  const scores = applyForest(treeFeatures(use), forest, aggregate);
  if (transform === 'NONE') return scores; // in the precision of the input
  const isWide = dtypeOf(scores.type) === 'float64';
  const transformed = postTransform(use, toFloat(scores), transform, 'regressor');
  return isWide ? transformed.cast('float64') : transformed;
}

function classifier(use: OnnxUse): Flow[] {
  const labels = classLabels(use, 'classlabels_int64s', 'classlabels_strings');
  const transform = use.attributes.string('post_transform', 'NONE');
  const count = labels.values.length;
  const scored = new Set(use.attributes.intArray('class_ids'));
  const [only] = scored;
  if (count === 2 && scored.size === 1) return oneScore(use, transform, labels, only!);
  const forest = readForest(use, 'class', baseValues(use, count));
  const scores = scoresOf(use, forest);
  // For a single class, onnxruntime returns 1 if the score is positive, otherwise 0, instead of the
  // label.
  if (count === 1 && typeof labels.values[0] !== 'string') return [scores.threshold(0), scores];
  return [greatestLabel(use, labels, scores, scored), postTransform(use, scores, transform)];
}

/**
 * Returns the label of the class with the greatest score. Ignores classes that no leaf scores,
 * unless the node has `base_values`.
 */
function greatestLabel(
  use: OnnxUse,
  labels: ReturnType<typeof classLabels>,
  scores: Flow<'vector'>,
  scored: ReadonlySet<number>,
): Flow {
  const { values } = labels;
  const columns = [...scored].sort((a, b) => a - b);
  if (columns.length === values.length || columns.length === 0 || use.attributes.has('base_values'))
    return labels.of(scores.argMax());
  const left = columns.map((column) => values[column]!) as typeof values;
  return scores.selectColumns(columns).argMax().labels(left);
}

const scoresOf = (use: OnnxUse, forest: FileForest) => toFloat(applyForest(treeFeatures(use), forest, 'sum'));

/**
 * Converts a classifier of two classes whose leaves score only one class, `scored`. It follows
 * onnxruntime:
 *
 * - If no weight is negative, the scores are probabilities, and the second class wins if its
 *   score is above one half. Otherwise, the second class wins if its score is above zero.
 * - If the leaves score class 0, their sum is the score of the second class, and the score of the
 *   first class is computed from it.
 * - If the leaves score class 1, the score of the first class is 0.
 */
function oneScore(use: OnnxUse, transform: string, labels: ReturnType<typeof classLabels>, scored: number): Flow[] {
  const bases = floats(use, 'base_values');
  const forest = readForest(use, 'class', bases.length === 2 ? Float64Array.of(bases[1]!) : baseValues(use, 1));
  const limit = isPositive(forest) ? 0.5 : 0;
  if (scored === 1) {
    if (forest.base[0] !== 0) throw use.unsupported('a base value for a forest that scores only class 1');
    const scores = scoresOf(use, { ...forest, base: new Float64Array(2) });
    return [labels.of(scores.selectColumns([1]).threshold(limit)), postTransform(use, scores, transform)];
  }
  const score = scoresOf(use, forest);
  const label = labels.of(score.threshold(limit));
  // With two base values, onnxruntime adds the second one and makes the first score the negative of
  // the second.
  if (bases.length === 2)
    return [label, postTransform(use, completedScores(use, score, 'NONE', 'opposite'), transform)];
  return [label, completedScores(use, score, transform, limit === 0.5 ? 'complement' : 'opposite')];
}

/**
 * A regressor may have at most this many targets that no leaf scores. Without this limit, a short
 * file could declare a very wide answer.
 */
const MAX_UNNAMED = 2 ** 16;

function targetsOf(use: OnnxUse, targets: number, ids: string): number {
  const isNamed = () => targets <= use.attributes.intArray(ids).length;
  if (targets >= 1 && targets <= MAX_COLUMNS && (targets <= MAX_UNNAMED || isNamed())) return targets;
  throw use.unsupported(`${targets} targets`, 'the file is damaged');
}

function baseValues(use: OnnxUse, targets: number): Float64Array {
  const bases = floats(use, 'base_values');
  if (bases.length === 0) return new Float64Array(targets);
  if (bases.length !== targets) throw use.unsupported(`${bases.length} base values for ${targets} scores`);
  return Float64Array.from(bases);
}
