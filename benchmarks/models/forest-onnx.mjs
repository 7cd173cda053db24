import { DataType, makeGraph, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';
import { integer, randomOf } from './random.mjs';

// Forests for the single-forest benchmarks: complete binary trees over uniform features, in the
// flat lists of ONNX-ML that exporters write.

export const FEATURES = 40;

/**
 * Writes an ONNX file with one TreeEnsembleRegressor.
 *
 * @param {number} trees
 * @param {number} depth
 * @returns {Uint8Array}
 */
export function forestModel(trees, depth) {
  const random = randomOf(trees * 100 + depth);
  const inner = 2 ** depth - 1;
  const size = 2 * inner + 1;
  const count = trees * size;
  const list = (/** @type {(node: number, tree: number) => number} */ of) =>
    Int32Array.from({ length: count }, (_, index) => of(index % size, Math.floor(index / size)));
  const branch = (/** @type {(node: number) => number} */ of) => list((node) => (node < inner ? of(node) : 0));
  const leaves = trees * (inner + 1);
  const leafOf = (/** @type {number} */ index) => inner + (index % (inner + 1));
  const attributes = {
    n_targets: { i: 1 },
    nodes_treeids: { ints: list((_, tree) => tree) },
    nodes_nodeids: { ints: list((node) => node) },
    nodes_featureids: { ints: branch(() => integer(random, FEATURES)) },
    nodes_values: {
      floats: Float32Array.from(
        branch(() => integer(random, 2 ** 20)),
        (value) => value / 2 ** 20,
      ),
    },
    nodes_modes: {
      strings: Array.from(
        list((node) => node),
        (node) => (node < inner ? 'BRANCH_LEQ' : 'LEAF'),
      ),
    },
    nodes_truenodeids: { ints: branch((node) => 2 * node + 1) },
    nodes_falsenodeids: { ints: branch((node) => 2 * node + 2) },
    nodes_missing_value_tracks_true: { ints: branch(() => 0) },
    target_treeids: { ints: Int32Array.from({ length: leaves }, (_, index) => Math.floor(index / (inner + 1))) },
    target_nodeids: { ints: Int32Array.from({ length: leaves }, (_, index) => leafOf(index)) },
    target_ids: { ints: new Int32Array(leaves) },
    target_weights: { floats: Float32Array.from({ length: leaves }, () => random() - 0.5) },
    post_transform: { s: 'NONE' },
  };
  const input = [tensorInput('x', DataType.FLOAT, [undefined, FEATURES])];
  const output = [tensorInput('y', DataType.FLOAT, [undefined, 1])];
  const node = [makeNode('TreeEnsembleRegressor', ['x'], ['y'], attributes, 'ai.onnx.ml')];
  return writeModel(makeModel(makeGraph({ input, output, node }), { '': 17, 'ai.onnx.ml': 3 }));
}

/** Generates row-major rows for these forests. @param {number} rows */
export function forestRows(rows) {
  const random = randomOf(4242);
  return Float32Array.from({ length: rows * FEATURES }, random);
}
