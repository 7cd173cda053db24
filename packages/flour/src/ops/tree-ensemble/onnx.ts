import { MAX_COLUMNS } from '../../checks.js';
import type { Flow } from '../../flow.js';
import { type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import { binaryScores } from '../binary-scores/index.js';
import { classLabels } from '../lookup/labels.js';
import { postTransform } from '../softmax/post-transform.js';
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
      if (labels.values.length === 2 && classes.size === 1) return oneScore(use, features, transform, labels);
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
 * Two classes of which the leaves score one: onnxruntime decides at one half when all weights are positive (they are probabilities), else
 * at zero, and completes the missing score accordingly.
 */
function oneScore(use: OnnxUse, features: Flow<'vector'>, transform: string, labels: ReturnType<typeof classLabels>) {
  const forest = readForest(use, 'class', baseValues(use, 1));
  const positive = forest.leafWeight.every((weight) => weight >= 0);
  const scores = features.treeEnsemble({ ...forest, leafTarget: new Int32Array(forest.leafTarget.length) });
  if (transform !== 'NONE' && transform !== 'LOGISTIC')
    throw use.unsupported(`post_transform ${transform} of one score`);
  const mode = positive ? 'complement' : transform === 'LOGISTIC' ? 'logistic' : 'opposite';
  const index = scores.threshold(positive ? 0.5 : 0);
  return [labels.of(index), use.flour.apply<'vector'>(binaryScores, [scores], { attributes: { mode } })];
}

function baseValues(use: OnnxUse, targets: number): Float32Array {
  if (!(targets >= 1 && targets <= MAX_COLUMNS)) throw use.unsupported(`${targets} targets`, 'the file is damaged');
  if (!use.attributes.has('base_values')) return new Float32Array(targets);
  const given = use.attributes.floats('base_values');
  if (given.length !== targets) throw use.unsupported(`${given.length} base values for ${targets} scores`);
  return Float32Array.from(given);
}
