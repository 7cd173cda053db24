import { DataType, makeGraph, makeModel, makeNode, makeTensor, tensorInput, writeModel } from '@brezel/onnx';
import { forestModel } from './forests.mjs';
import { integer, randomOf } from './random.mjs';

// Forests of millions of nodes: the file is what counts, not what they were trained on.

/** @typedef {'regressor' | 'classifier' | 'ensemble'} Form */
/** @typedef {{ trees: number[], numbers: number[], features: number[], thresholds: number[], yes: number[], no: number[] }} Nodes */

const FEATURES = 60;
const MAX_DEPTH = 16;
/** Trees of 2^12 leaves. */
const FULL_DEPTH = 12;
const CLASSES = 3;

/**
 * An ONNX file of a forest of about so many nodes: `regressor`, complete trees; `classifier`, ragged trees whose leaves weigh three classes;
 * `ensemble`, ragged trees in the form of TreeEnsemble-5.
 *
 * @param {Form} form @param {number} count
 */
export function largeForest(form, count) {
  if (form === 'regressor') return forestModel(Math.max(1, Math.round(count / 2 ** (FULL_DEPTH + 1))), FULL_DEPTH);
  const nodes = raggedNodes(count);
  const make = form === 'classifier' ? classifierNode : ensembleNode;
  const input = [tensorInput('x', DataType.FLOAT, [undefined, FEATURES])];
  const output = outputs[form].map(([name, type, shape]) => tensorInput(name, type, shape));
  const graph = makeGraph({ input, output, node: [make(nodes)] });
  return writeModel(makeModel(graph, { '': 17, 'ai.onnx.ml': form === 'ensemble' ? 5 : 1 }));
}

/** @type {Record<'classifier' | 'ensemble', [string, number, (number | undefined)[]][]>} */
const outputs = {
  classifier: [
    ['label', DataType.INT64, [undefined]],
    ['probabilities', DataType.FLOAT, [undefined, CLASSES]],
  ],
  ensemble: [['y', DataType.FLOAT, [undefined, CLASSES]]],
};

/** Trees in preorder; a leaf leads nowhere (`yes` is 0). @param {number} count @returns {Nodes} */
function raggedNodes(count) {
  const random = randomOf(count);
  /** @type {Nodes} */
  const nodes = { trees: [], numbers: [], features: [], thresholds: [], yes: [], no: [] };
  /** @param {number} tree @param {number} first @param {number} depth @returns {number} number of the node */
  const grow = (tree, first, depth) => {
    const at = nodes.trees.length;
    const isLeaf = depth === MAX_DEPTH || (depth > 2 && random() < 0.08);
    nodes.trees.push(tree);
    nodes.numbers.push(at - first);
    nodes.features.push(isLeaf ? 0 : integer(random, FEATURES));
    nodes.thresholds.push(isLeaf ? 0 : integer(random, 2 ** 20) / 2 ** 20);
    nodes.yes.push(0);
    nodes.no.push(0);
    if (isLeaf) return at - first;
    nodes.yes[at] = grow(tree, first, depth + 1);
    nodes.no[at] = grow(tree, first, depth + 1);
    return at - first;
  };
  for (let tree = 0; nodes.trees.length < count; tree++) grow(tree, nodes.trees.length, 0);
  return nodes;
}

/** @param {Nodes} nodes */
function classifierNode({ trees, numbers, features, thresholds, yes, no }) {
  const random = randomOf(7);
  const leaves = numbers.flatMap((_, at) => (yes[at] === 0 ? new Array(CLASSES).fill(at) : []));
  return makeNode(
    'TreeEnsembleClassifier',
    ['x'],
    ['label', 'probabilities'],
    {
      classlabels_int64s: { ints: [...Array(CLASSES).keys()] },
      nodes_treeids: { ints: trees },
      nodes_nodeids: { ints: numbers },
      nodes_featureids: { ints: features },
      nodes_values: { floats: thresholds },
      nodes_hitrates: { floats: new Float32Array(trees.length).fill(1) },
      nodes_modes: { strings: yes.map((child) => (child === 0 ? 'LEAF' : 'BRANCH_LEQ')) },
      nodes_truenodeids: { ints: yes },
      nodes_falsenodeids: { ints: no },
      nodes_missing_value_tracks_true: { ints: new Uint8Array(trees.length) },
      class_treeids: { ints: leaves.map((at) => trees[at]) },
      class_nodeids: { ints: leaves.map((at) => numbers[at]) },
      class_ids: { ints: leaves.map((_, entry) => entry % CLASSES) },
      class_weights: { floats: leaves.map(() => random() / 1000) },
      post_transform: { s: 'NONE' },
    },
    'ai.onnx.ml',
  );
}

/** Branches and leaves in lists of their own. @param {Nodes} nodes */
function ensembleNode({ numbers, features, thresholds, yes, no }) {
  const random = randomOf(8);
  /** @type {number[]} place of each node among the branches, or among the leaves */
  const places = [];
  let [branches, leaves] = [0, 0];
  for (const child of yes) places.push(child === 0 ? leaves++ : branches++);
  const inner = [...yes.keys()].filter((at) => yes[at] !== 0);
  const child = (/** @type {number[]} */ list) => inner.map((at) => at - numbers[at] + list[at]);
  const isLeaf = (/** @type {number[]} */ list) => Uint8Array.from(list, (at) => (yes[at] === 0 ? 1 : 0));
  const tensor = (/** @type {Float32Array} */ data) => ({ t: makeTensor('', 'float32', [data.length], data) });
  const [trueNodes, falseNodes] = [child(yes), child(no)];
  const modes = { ...makeTensor('', 'bool', [branches], new Uint8Array(branches)), dataType: DataType.UINT8 };
  return makeNode(
    'TreeEnsemble',
    ['x'],
    ['y'],
    {
      n_targets: { i: CLASSES },
      aggregate_function: { i: 1 },
      post_transform: { i: 0 },
      tree_roots: { ints: [...numbers.keys()].filter((at) => numbers[at] === 0).map((at) => places[at]) },
      nodes_featureids: { ints: inner.map((at) => features[at]) },
      nodes_splits: tensor(Float32Array.from(inner, (at) => thresholds[at])),
      nodes_modes: { t: modes },
      nodes_truenodeids: { ints: trueNodes.map((at) => places[at]) },
      nodes_trueleafs: { ints: isLeaf(trueNodes) },
      nodes_falsenodeids: { ints: falseNodes.map((at) => places[at]) },
      nodes_falseleafs: { ints: isLeaf(falseNodes) },
      leaf_targetids: { ints: Array.from({ length: leaves }, () => integer(random, CLASSES)) },
      leaf_weights: tensor(Float32Array.from({ length: leaves }, () => random() - 0.5)),
    },
    'ai.onnx.ml',
  );
}
