import type { OnnxUse } from '../../onnx-mapping.js';
import { LEAF } from '../forest/reference.js';
import { type FileForest, type FileNodes, orderedForest, type Reals } from './file-forest.js';
import { type Integers, type NodeIndex, nodeIndex } from './node-index.js';
import { branchModes } from './reference.js';

/**
 * Reads a forest from the attributes of TreeEnsembleClassifier (prefix `class`) or
 * TreeEnsembleRegressor (prefix `target`) of ONNX-ML.
 */
export function readForest(use: OnnxUse, prefix: 'class' | 'target', base: Float64Array): FileForest {
  const nodes = readNodes(use, prefix);
  const isSingle = prefix === 'target' && base.length === 1;
  return orderedForest(
    use,
    isSingle ? { ...nodes, leaves: firstWeights(nodes.leaves, nodes.modes.length) } : nodes,
    base,
  );
}

/**
 * Drops all weights of a leaf except the first, for a regressor with one target, as onnxruntime
 * does. skl2onnx writes further weights with the options decision_leaf and decision_path: it
 * repeats the number of the leaf for every class.
 */
function firstWeights({ node, target, weight }: FileNodes['leaves'], nodes: number): FileNodes['leaves'] {
  const hasOne = new Uint8Array(nodes);
  const first = new Uint8Array(node.length);
  for (let at = 0; at < node.length; at++) {
    first[at] = 1 - hasOne[node[at]!]!;
    hasOne[node[at]!] = 1;
  }
  if (first.every((one) => one === 1)) return { node, target, weight };
  const isFirst = (_: number, at: number) => first[at] === 1;
  return { node: node.filter(isFirst), target: target.filter(isFirst), weight: weight.filter(isFirst) };
}

function readNodes(use: OnnxUse, prefix: string): FileNodes {
  const ints = (name: string) => intsOf(use, name);
  const trees = ints('nodes_treeids');
  const numbers = ints('nodes_nodeids');
  const modes = use.attributes.codes('nodes_modes', (mode) => readMode(use, mode));
  if (numbers.length !== trees.length || modes.length !== trees.length)
    throw use.unsupported('node lists of different lengths', 'the file is damaged');
  const index = nodeIndex(trees, numbers);
  const children = (name: string) => {
    const childNumbers = ints(name);
    const list = new Int32Array(trees.length);
    for (let node = 0; node < list.length; node++)
      list[node] = modes[node] === LEAF ? -1 : nodeOf(use, index, trees[node]!, childNumbers[node]);
    return list;
  };
  return {
    modes,
    features: int32s(use, 'nodes_featureids', ints('nodes_featureids')),
    thresholds: floats(use, 'nodes_values'),
    missing: flags(ints('nodes_missing_value_tracks_true')),
    yes: children('nodes_truenodeids'),
    no: children('nodes_falsenodeids'),
    roots: index.roots,
    leaves: readLeaves(use, prefix, index),
  };
}

const intsOf = (use: OnnxUse, name: string): Integers =>
  use.attributes.has(name) ? use.attributes.intArray(name) : new Int32Array(0);

/** Converts flags of a file: returns 1 for each 1, otherwise 0. */
export function flags(values: Integers): Uint8Array {
  const list = new Uint8Array(values.length);
  for (let at = 0; at < list.length; at++) list[at] = values[at] === 1 ? 1 : 0;
  return list;
}

function nodeOf(use: OnnxUse, index: NodeIndex, tree: number, node: number | undefined): number {
  const found = node === undefined ? -1 : index.find(tree, node);
  if (found >= 0) return found;
  throw use.unsupported(`a branch to node ${node} of tree ${tree}, which does not exist`, 'the file is damaged');
}

/**
 * Converts numbers to int32. Throws if a number changes, because it would then refer to another
 * feature or class.
 */
export function int32s(use: OnnxUse, name: string, values: Integers): Int32Array {
  if (values instanceof Int32Array) return values;
  const wide = values.find((value) => (value | 0) !== value);
  if (wide !== undefined) throw use.unsupported(`${wide} in ${name}`, 'the file is damaged');
  return Int32Array.from(values);
}

/** Reads a list of floats, or of doubles if the file has `<name>_as_tensor`. */
export function floats(use: OnnxUse, name: string): Reals {
  const tensor = use.attributes.tensor(`${name}_as_tensor`);
  if (tensor === undefined) return use.attributes.has(name) ? use.attributes.floats(name) : new Float32Array(0);
  if (tensor.dtype !== 'float32' && tensor.dtype !== 'float64')
    throw use.unsupported(`${name}_as_tensor of type ${tensor.dtype}`);
  return tensor.data;
}

function readMode(use: OnnxUse, mode: string): number {
  const index = branchModes.indexOf(mode.replace(/^BRANCH_/, '') as (typeof branchModes)[number]);
  if (index < 0) throw use.unsupported(`node mode ${mode}`);
  return index;
}

/**
 * Reads the weights of the leaves in the order of the file, because sums run in this order.
 */
function readLeaves(use: OnnxUse, prefix: string, index: NodeIndex): FileNodes['leaves'] {
  const target = int32s(use, `${prefix}_ids`, use.attributes.intArray(`${prefix}_ids`));
  const weight = floats(use, `${prefix}_weights`);
  const trees = use.attributes.intArray(`${prefix}_treeids`);
  const numbers = use.attributes.intArray(`${prefix}_nodeids`);
  if ([trees, numbers, target].some((list) => list.length !== weight.length))
    throw use.unsupported(`${prefix} lists of different lengths`, 'the file is damaged');
  const node = new Int32Array(weight.length);
  for (let at = 0; at < node.length; at++) node[at] = nodeOf(use, index, trees[at]!, numbers[at]);
  return { node, target, weight };
}
