import { sizeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';
import { type OnnxUse, onnxMappings } from '../../onnx-mapping.js';
import { completedScores } from '../binary-scores/onnx-scores.js';
import { featuresOf } from '../cast/features.js';
import { classLabels } from '../lookup/labels.js';
import { postTransform } from '../softmax/post-transform.js';
import '../arg-max/index.js';
import '../arithmetic/index.js';
import '../binarize/index.js';
import '../linear/index.js';
import '../reduce/index.js';
import '../svm-kernel/index.js';
import type { SupportKernel } from '../svm-kernel/index.js';
import '../threshold/index.js';
import './index.js';

export const onnx = onnxMappings(
  { domain: 'ai.onnx.ml', operator: 'SVMRegressor', versions: [1, 5], convert: (use) => [regressor(use)] },
  { domain: 'ai.onnx.ml', operator: 'SVMClassifier', versions: [1, 5], convert: classifier },
);

const list = (use: OnnxUse, name: string) =>
  use.attributes.has(name) ? use.attributes.floats(name) : new Float32Array();

/**
 * Returns the values of the SVM's kernel function for the row and each of the `count` support
 * vectors.
 */
function near(use: OnnxUse, features: Flow<'vector'>, count: number): Flow<'vector'> {
  const kernel = use.attributes.string('kernel_type', 'LINEAR').toLowerCase() as SupportKernel;
  const [gamma = 0, coef0 = 0, degree = 0] = list(use, 'kernel_params');
  const supportVectors = use.attributes.floats('support_vectors');
  if (supportVectors.length !== count * sizeOf(features.type))
    throw use.unsupported(
      `${supportVectors.length} numbers in ${count} support vectors of ${sizeOf(features.type)} features`,
      'the file does not fit together',
    );
  return features.svmKernel({ kernel, supportVectors, gamma, coef0, degree });
}

function regressor(use: OnnxUse): Flow {
  const features = featuresOf(use);
  const supports = use.attributes.int('n_supports', 0);
  const weights = use.attributes.floats('coefficients');
  const [bias] = use.attributes.floats('rho');
  if (bias === undefined) throw use.unsupported('an SVMRegressor without rho', 'the file is damaged');
  const values = supports > 0 ? near(use, features, supports) : features;
  if (weights.length !== sizeOf(values.type))
    throw use.unsupported(`${weights.length} coefficients for ${sizeOf(values.type)} values`);
  const score = values.linear({ weights, bias });
  // A one-class model returns 1 for a row inside the class, -1 outside.
  if (use.attributes.int('one_class', 0) !== 0)
    return score.binarize(0).arithmetic('multiply', 2).arithmetic('subtract', 1);
  return postTransform(use, score, use.attributes.string('post_transform', 'NONE'), 'regressor');
}

function classifier(use: OnnxUse): Flow[] {
  const labels = classLabels(use, 'classlabels_ints', 'classlabels_strings');
  const perClass = use.attributes.has('vectors_per_class') ? use.attributes.ints('vectors_per_class') : [];
  const supports = perClass.reduce((sum, count) => sum + count, 0);
  const transform = use.attributes.string('post_transform', 'NONE');
  if (supports === 0) return linearClassifier(use, labels, transform);
  const classes = labels.values.length;
  if (perClass.length !== classes || perClass.some((count) => count < 0))
    throw use.unsupported(`vectors_per_class [${perClass}] for ${classes} classes`, 'the file is damaged');
  const pairs = near(use, featuresOf(use), supports).svmPairs({
    vectorsPerClass: perClass,
    coefficients: use.attributes.floats('coefficients'),
    rho: use.attributes.floats('rho'),
  });
  const label = labels.of(pairs.svmVotes(classes));
  const [slope, offset] = [list(use, 'prob_a'), list(use, 'prob_b')];
  if (slope.length > 0)
    return [label, postTransform(use, pairs.svmProbabilities({ classes, slope, offset }), transform)];
  // Without probabilities, the scores are pair scores. With two classes, the single pair score
  // gives the scores of both classes.
  if (classes > 2) return [label, postTransform(use, pairs, transform)];
  return [label, completedScores(use, pairs, transform, transform === 'NONE' ? 'opposite' : 'complement')];
}

/**
 * Converts a classifier without support vectors. Its coefficients are the weights of a linear
 * model, one row per class, and all classes have the bias `rho`.
 */
function linearClassifier(use: OnnxUse, labels: ReturnType<typeof classLabels>, transform: string): Flow[] {
  const features = featuresOf(use);
  const size = sizeOf(features.type);
  const classes = labels.values.length;
  const given = use.attributes.floats('coefficients');
  const [rho] = use.attributes.floats('rho');
  if (given.length !== classes * size || rho === undefined)
    throw use.unsupported(`${given.length} coefficients for ${classes} classes of ${size} features`);
  const weights = Float32Array.from(given, (_, at) => given[(at % classes) * size + Math.floor(at / classes)]!);
  const scores = features.linear({ weights, bias: new Float32Array(classes).fill(rho) });
  const best = scores.argMax();
  const label = labels.of(
    classes === 2
      ? orPositive(
          scores,
          best,
          given.every((weight) => weight >= 0),
        )
      : best,
  );
  return [label, postTransform(use, scores, transform)];
}

/**
 * The greatest float32 below one half. `x > BELOW_HALF` is true if and only if x is at least one
 * half.
 */
const BELOW_HALF = 0.5 - 2 ** -25;

/**
 * Selects the second class of a model with two classes, instead of the first, in the same cases as
 * onnxruntime: if the greatest score is above zero. If no weight is negative, the limit is one half
 * instead, and an equal score is enough.
 */
function orPositive(scores: Flow<'vector'>, best: Flow<'scalar'>, areWeightsPositive: boolean): Flow<'scalar'> {
  const isPositive = scores.reduce('max').threshold(areWeightsPositive ? BELOW_HALF : 0);
  return best.cast('float32').arithmetic('add', isPositive.cast('float32')).threshold(0.5);
}
