import { DataType, makeGraph, makeModel, makeNode, makeTensor, tensorInput, writeModel } from '@brezel/onnx';
import { CLASSES, FEATURES } from './attendee.mjs';
import { onnxLists, sideBySide } from './forests.mjs';

// Writes an AC pipeline as two ONNX graphs with the same answers: the graph that exporters write
// (natural), and a graph written by hand with as few nodes as possible (expert).

/** @typedef {import('./attendee.mjs').AcParts} AcParts */
/** @typedef {import('./forests.mjs').Forest} Forest */
/** @typedef {import('@brezel/onnx').NodeProto} NodeProto */
/** @typedef {import('@brezel/onnx').TensorProto} TensorProto */

const OPSETS = { '': 17, 'ai.onnx.ml': 3 };
const ML = 'ai.onnx.ml';

/**
 * @param {NodeProto[]} node
 * @param {TensorProto[]} initializer
 */
const written = (node, initializer) =>
  writeModel(
    makeModel(
      makeGraph({
        input: [tensorInput('x', DataType.FLOAT, [undefined, FEATURES])],
        output: [tensorInput('y', DataType.FLOAT, [undefined, 1])],
        node,
        initializer,
      }),
      OPSETS,
    ),
  );

/**
 * @param {string} name
 * @param {number[]} dims
 * @param {Float32Array} data
 */
const floats = (name, dims, data) => makeTensor(name, 'float32', dims, data);

/**
 * @param {Forest} forest
 * @param {string} input
 * @param {string} output
 */
const regressor = (forest, input, output) =>
  makeNode(
    'TreeEnsembleRegressor',
    [input],
    [output],
    { ...onnxLists(forest, 'target'), n_targets: { i: forest.targets } },
    ML,
  );

/**
 * Writes the graph that skl2onnx exports for a union of PCA (Sub, MatMul), KMeans (Gemm, Sqrt), a
 * regressor with many targets and a classifier. A forest reads the Concat of their outputs.
 *
 * @param {AcParts} parts
 * @returns {Uint8Array}
 */
export function naturalAc({ projection, clusters, featurizer, classifier, final }) {
  /** @type {NodeProto[]} */
  const nodes = [];
  /** @type {TensorProto[]} */
  const constants = [];
  /** @type {string[]} */
  const columns = [];
  if (projection !== undefined) {
    constants.push(floats('mean', [1, FEATURES], projection.mean));
    constants.push(floats('components', [FEATURES, projection.outputs], projection.components));
    nodes.push(
      makeNode('Sub', ['x', 'mean'], ['centered']),
      makeNode('MatMul', ['centered', 'components'], ['projected']),
    );
    columns.push('projected');
  }
  if (clusters !== undefined) {
    constants.push(floats('centers', [clusters.count, FEATURES], clusters.centers));
    constants.push(floats('norms', [1, clusters.count], clusters.norms), floats('zero', [1], new Float32Array(1)));
    nodes.push(
      makeNode('ReduceSumSquare', ['x'], ['squares'], { axes: { ints: [1] }, keepdims: { i: 1 } }),
      makeNode('Mul', ['squares', 'zero'], ['none']),
      makeNode('Gemm', ['x', 'centers', 'none'], ['products'], { alpha: { f: -2 }, transB: { i: 1 } }),
      makeNode('Add', ['squares', 'products'], ['partial']),
      makeNode('Add', ['norms', 'partial'], ['squared']),
      makeNode('Sqrt', ['squared'], ['distances']),
    );
    columns.push('distances');
  }
  if (featurizer !== undefined) {
    nodes.push(regressor(featurizer, 'x', 'values'));
    columns.push('values');
  }
  if (classifier !== undefined) {
    const attributes = {
      ...onnxLists(classifier, 'class'),
      classlabels_int64s: { ints: [...Array(CLASSES).keys()] },
      post_transform: { s: 'SOFTMAX' },
    };
    nodes.push(makeNode('TreeEnsembleClassifier', ['x'], ['label', 'probabilities'], attributes, ML));
    columns.push('probabilities');
  }
  nodes.push(makeNode('Concat', columns, ['features'], { axis: { i: 1 } }), regressor(final, 'features', 'y'));
  return written(nodes, constants);
}

/**
 * Writes the expert graph: one Gemm for both matrix products, one regressor for both forests, and
 * no label.
 *
 * @param {AcParts} parts
 * @returns {Uint8Array}
 */
export function expertAc({ projection, clusters, featurizer, classifier, final }) {
  /** @type {NodeProto[]} */
  const nodes = [];
  /** @type {TensorProto[]} */
  const constants = [];
  const columns = { projected: '', distances: '', values: '', probabilities: '' };
  if (projection !== undefined || clusters !== undefined) {
    const { matrix, bias, outputs } = oneProduct(projection, clusters);
    constants.push(floats('matrix', [FEATURES, outputs], matrix), floats('bias', [outputs], bias));
    nodes.push(makeNode('Gemm', ['x', 'matrix', 'bias'], ['products']));
    const [projected, partial] = split('products', [projection?.outputs ?? 0, clusters?.count ?? 0], nodes, constants);
    columns.projected = projected;
    if (clusters !== undefined) {
      nodes.push(
        makeNode('ReduceSumSquare', ['x'], ['squares'], { axes: { ints: [1] }, keepdims: { i: 1 } }),
        makeNode('Add', ['squares', partial], ['squared']),
        makeNode('Sqrt', ['squared'], ['distances']),
      );
      columns.distances = 'distances';
    }
  }
  const forest = featurizer && classifier ? sideBySide(featurizer, classifier) : (featurizer ?? classifier);
  if (forest !== undefined) {
    nodes.push(regressor(forest, 'x', 'scores'));
    const sizes = [featurizer?.targets ?? 0, classifier?.targets ?? 0];
    const [values, scores] = split('scores', sizes, nodes, constants);
    columns.values = values;
    if (classifier !== undefined) {
      nodes.push(makeNode('Softmax', [scores], ['probabilities'], { axis: { i: 1 } }));
      columns.probabilities = 'probabilities';
    }
  }
  const read = Object.values(columns).filter((name) => name !== '');
  nodes.push(makeNode('Concat', read, ['features'], { axis: { i: 1 } }), regressor(final, 'features', 'y'));
  return written(nodes, constants);
}

/**
 * Adds a node to `nodes` that splits the columns of a matrix into two parts. Returns the names of
 * the parts. If a part is empty, its name is ''.
 *
 * @param {string} name
 * @param {number[]} sizes
 * @param {NodeProto[]} nodes
 * @param {TensorProto[]} constants
 * @returns {[string, string]}
 */
function split(name, [left, right], nodes, constants) {
  if (left === 0 || right === 0) return left === 0 ? ['', name] : [name, ''];
  constants.push(makeTensor(`${name}_sizes`, 'int64', [2], BigInt64Array.of(BigInt(left), BigInt(right))));
  nodes.push(makeNode('Split', [name, `${name}_sizes`], [`${name}_left`, `${name}_right`], { axis: { i: 1 } }));
  return [`${name}_left`, `${name}_right`];
}

/**
 * Joins PCA and k-means into one matrix product. PCA is (x - mean) C = x C - mean C, and k-means
 * needs -2 x Kᵀ + |k|².
 *
 * @param {import('./attendee.mjs').Projection | undefined} projection
 * @param {import('./attendee.mjs').Clusters | undefined} clusters
 */
function oneProduct(projection, clusters) {
  const [left, right] = [projection?.outputs ?? 0, clusters?.count ?? 0];
  const outputs = left + right;
  const matrix = new Float32Array(FEATURES * outputs);
  const bias = new Float64Array(outputs);
  for (let feature = 0; feature < FEATURES; feature++) {
    for (let output = 0; output < left; output++) {
      const { components, mean } = /** @type {import('./attendee.mjs').Projection} */ (projection);
      const weight = components[feature * left + output];
      matrix[feature * outputs + output] = weight;
      bias[output] -= mean[feature] * weight;
    }
    for (let cluster = 0; cluster < right; cluster++) {
      const { centers } = /** @type {import('./attendee.mjs').Clusters} */ (clusters);
      matrix[feature * outputs + left + cluster] = -2 * centers[cluster * FEATURES + feature];
    }
  }
  clusters?.norms.forEach((norm, cluster) => (bias[left + cluster] = norm));
  return { matrix, bias: Float32Array.from(bias), outputs };
}
