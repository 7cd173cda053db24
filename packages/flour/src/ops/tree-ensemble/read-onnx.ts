import type { OnnxUse } from '../../onnx-mapping.js';
import { LEAF } from '../forest/reference.js';
import { type FileForest, type FileNodes, orderedForest } from './file-forest.js';
import { NodePlaces } from './node-places.js';
import { branchModes } from './reference.js';

/** A forest from the flat attribute lists of ONNX-ML's TreeEnsembleClassifier and -Regressor. `prefix` is `class` or `target`. */
export function readForest(use: OnnxUse, prefix: 'class' | 'target', base: Float64Array): FileForest {
  const ints = (name: string) => (use.attributes.has(name) ? use.attributes.ints(name) : []);
  const trees = ints('nodes_treeids');
  const numbers = ints('nodes_nodeids');
  const modes = use.attributes.strings('nodes_modes').map((mode) => readMode(use, mode));
  if (numbers.length !== trees.length || modes.length !== trees.length)
    throw use.unsupported('node lists of different lengths', 'the file is damaged');
  const places = new NodePlaces(trees, numbers);
  const at = (tree: number, node: number) => {
    const found = places.find(tree, node);
    if (found === undefined)
      throw use.unsupported(`a branch to node ${node} of tree ${tree}, which does not exist`, 'the file is damaged');
    return found;
  };
  const child = (list: readonly number[]) => (node: number) =>
    modes[node] === LEAF ? -1 : at(trees[node]!, list[node]!);
  const features = int32s(use, 'nodes_featureids', ints('nodes_featureids'));
  const values = floats(use, 'nodes_values');
  const missing = ints('nodes_missing_value_tracks_true');
  const nodes: FileNodes = {
    modes,
    features: modes.map((_, node) => features[node] ?? 0),
    thresholds: modes.map((_, node) => values[node] ?? 0),
    missing: modes.map((_, node) => missing[node] ?? 0),
    yes: modes.map((_, node) => node).map(child(ints('nodes_truenodeids'))),
    no: modes.map((_, node) => node).map(child(ints('nodes_falsenodeids'))),
    members: [],
    roots: firstOfEach(trees),
    leaves: readLeaves(use, prefix, at),
  };
  return orderedForest(use, nodes, base);
}

/** Numbers that keep their value as int32: others would become other features or classes. */
export function int32s(use: OnnxUse, name: string, values: readonly number[]): readonly number[] {
  const wide = values.find((value) => (value | 0) !== value);
  if (wide !== undefined) throw use.unsupported(`${wide} in ${name}`, 'the file is damaged');
  return values;
}

/** A list of floats, or of doubles where the file has `<name>_as_tensor`. */
export function floats(use: OnnxUse, name: string): ArrayLike<number> {
  const tensor = use.attributes.tensor(`${name}_as_tensor`);
  if (tensor === undefined) return use.attributes.has(name) ? use.attributes.floats(name) : [];
  if (tensor.dtype !== 'float32' && tensor.dtype !== 'float64')
    throw use.unsupported(`${name}_as_tensor of type ${tensor.dtype}`);
  return tensor.data;
}

function readMode(use: OnnxUse, mode: string): number {
  const index = branchModes.indexOf(mode.replace(/^BRANCH_/, '') as (typeof branchModes)[number]);
  if (index < 0) throw use.unsupported(`node mode ${mode}`);
  return index;
}

/** The first node listed of each tree is its root, as onnxruntime reads it. */
function firstOfEach(trees: readonly number[]): number[] {
  const roots = new Map<number, number>();
  trees.forEach((tree, node) => {
    if (!roots.has(tree)) roots.set(tree, node);
  });
  return [...roots.values()];
}

/** Weights of one leaf keep their order in the file: it is the order of the sum. */
function readLeaves(use: OnnxUse, prefix: string, place: (tree: number, node: number) => number): FileNodes['leaves'] {
  const [trees, numbers, targets] = ['treeids', 'nodeids', 'ids'].map((name) =>
    use.attributes.ints(`${prefix}_${name}`),
  );
  int32s(use, `${prefix}_ids`, targets!);
  const weights = Array.from(floats(use, `${prefix}_weights`));
  if ([trees, numbers, targets].some((list) => list!.length !== weights.length))
    throw use.unsupported(`${prefix} lists of different lengths`, 'the file is damaged');
  return weights.map((weight, at) => ({ node: place(trees![at]!, numbers![at]!), target: targets![at]!, weight }));
}
