import { MAX_COLUMNS } from '../../checks.js';
import type { Flow } from '../../flow.js';
import { type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import { completedScores } from '../binary-scores/onnx-scores.js';
import { classLabels } from '../lookup/labels.js';
import { postTransform } from '../softmax/post-transform.js';
import '../select-columns/index.js';
import '../threshold/index.js';
import './index.js';
import { readForest } from './read-onnx.js';

export const onnx = onnxMappings(
  {
    domain: 'ai.onnx.ml',
    operator: 'TreeEnsembleClassifier',
    versions: [1, 3],
    raise(use) {
      const labels = classLabels(use, 'classlabels_int64s', 'classlabels_strings');
      const features = use.row(0) as Flow<'vector'>;
      const transform = use.attributes.string('post_transform', 'NONE');
      const classes = new Set(use.attributes.ints('class_ids'));
      const [scored] = classes;
      if (labels.values.length === 2 && classes.size === 1) return oneScore(use, features, transform, labels, scored!);
      const scores = features.treeEnsemble(readForest(use, 'class', baseValues(use, labels.values.length)));
      return [labels.of(scores.argMax()), postTransform(use, scores, transform)];
    },
  },
  {
    domain: 'ai.onnx.ml',
    operator: 'TreeEnsembleRegressor',
    versions: [1, 3],
    raise(use) {
      if (use.attributes.string('aggregate_function', 'SUM') !== 'SUM')
        throw use.unsupported(`aggregate_function ${use.attributes.string('aggregate_function')}`);
      const base = baseValues(use, use.attributes.int('n_targets', 1));
      const scores = (use.row(0) as Flow<'vector'>).treeEnsemble(readForest(use, 'target', base));
      return [postTransform(use, scores, use.attributes.string('post_transform', 'NONE'))];
    },
  },
);

/**
 * Two classes of which the leaves score one. onnxruntime decides at one half when all weights are positive (they are probabilities), else at
 * zero. A score of class 0 stands for the second class, and the missing one is completed; a score of class 1 stands beside a zero.
 */
function oneScore(
  use: OnnxUse,
  features: Flow<'vector'>,
  transform: string,
  labels: ReturnType<typeof classLabels>,
  scored: number,
): Flow[] {
  const base = baseValues(use, 1);
  const forest = readForest(use, 'class', base);
  const positive = forest.leafWeight.every((weight) => weight >= 0);
  const limit = positive ? 0.5 : 0;
  if (scored === 1) {
    if (base[0] !== 0) throw use.unsupported('a base value for a forest that scores only class 1');
    const scores = features.treeEnsemble({ ...forest, base: new Float32Array(2) });
    return [labels.of(scores.selectColumns([1]).threshold(limit)), postTransform(use, scores, transform)];
  }
  const score = features.treeEnsemble(forest);
  return [
    labels.of(score.threshold(limit)),
    completedScores(use, score, transform, positive ? 'complement' : 'opposite'),
  ];
}

function baseValues(use: OnnxUse, targets: number): Float32Array {
  if (!(targets >= 1 && targets <= MAX_COLUMNS)) throw use.unsupported(`${targets} targets`, 'the file is damaged');
  if (!use.attributes.has('base_values')) return new Float32Array(targets);
  const given = use.attributes.floats('base_values');
  if (given.length !== targets) throw use.unsupported(`${given.length} base values for ${targets} scores`);
  return Float32Array.from(given);
}
