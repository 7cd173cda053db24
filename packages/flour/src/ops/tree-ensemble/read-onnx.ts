import type { OnnxUse } from '../../onnx-mapping.js';
import { branchModes, type Forest, LEAF } from './reference.js';

/** A forest from the flat attribute lists of ONNX-ML's TreeEnsemble operators. `prefix` is `class` or `target`. */
export function readForest(use: OnnxUse, prefix: 'class' | 'target', base: Float32Array): Forest {
  const ints = (name: string) => (use.attributes.has(name) ? use.attributes.ints(name) : []);
  const trees = ints('nodes_treeids');
  const numbers = ints('nodes_nodeids');
  const key = (tree: number, node: number) => `${tree}:${node}`;
  const place = new Map(trees.map((tree, at) => [key(tree, numbers[at]!), at]));
  const children = { true: ints('nodes_truenodeids'), false: ints('nodes_falsenodeids') };
  const modes = use.attributes.strings('nodes_modes').map((mode) => readMode(use, mode));
  const at = (tree: number, node: number) => {
    const found = place.get(key(tree, node));
    if (found === undefined)
      throw use.unsupported(`a branch to node ${node} of tree ${tree}, which does not exist`, 'the file is damaged');
    return found;
  };
  const order = parentsFirst(use, trees, (node, side) =>
    modes[node] === LEAF ? undefined : at(trees[node]!, children[side][node]!),
  );
  const newPlace = new Int32Array(order.length);
  order.forEach((old, place) => {
    newPlace[old] = place;
  });
  const features = int32s(use, 'nodes_featureids', ints('nodes_featureids'));
  const values = use.attributes.floats('nodes_values');
  const missing = ints('nodes_missing_value_tracks_true');
  const child = (side: 'true' | 'false') => (old: number) =>
    modes[old] === LEAF ? 0 : newPlace[at(trees[old]!, children[side][old]!)]!;
  const leaves = readLeaves(use, prefix, (tree, node) => newPlace[at(tree, node)]!, order.length);
  return {
    feature: Int32Array.from(order, (old) => features[old] ?? 0),
    threshold: Float32Array.from(order, (old) => values[old] ?? 0),
    mode: Int32Array.from(order, (old) => modes[old]!),
    trueChild: Int32Array.from(order, child('true')),
    falseChild: Int32Array.from(order, child('false')),
    missingTrue: Int32Array.from(order, (old) => missing[old] ?? 0),
    roots: rootsOf(trees, newPlace),
    ...leaves,
    base,
  };
}

/** Numbers that keep their value as int32: others would become other features or classes. */
function int32s(use: OnnxUse, name: string, values: readonly number[]): readonly number[] {
  const wide = values.find((value) => (value | 0) !== value);
  if (wide !== undefined) throw use.unsupported(`${wide} in ${name}`, 'the file is damaged');
  return values;
}

function readMode(use: OnnxUse, mode: string): number {
  const index = branchModes.indexOf(mode.replace(/^BRANCH_/, '') as (typeof branchModes)[number]);
  if (index < 0) throw use.unsupported(`node mode ${mode}`);
  return index;
}

/** The first node listed of each tree is its root, as onnxruntime reads it. */
function rootsOf(trees: readonly number[], newPlace: Int32Array): Int32Array {
  const roots = new Map<number, number>();
  trees.forEach((tree, at) => {
    if (!roots.has(tree)) roots.set(tree, newPlace[at]!);
  });
  return Int32Array.from(roots.values());
}

/** Nodes so ordered that children follow their parents. A cycle, or a node with two parents, is refused. */
function parentsFirst(
  use: OnnxUse,
  trees: readonly number[],
  child: (node: number, side: 'true' | 'false') => number | undefined,
): number[] {
  const order: number[] = [];
  const seen = new Set<number>();
  const started = new Set<number>();
  trees.forEach((tree, root) => {
    if (started.has(tree)) return;
    started.add(tree);
    const stack = [root];
    while (stack.length > 0) {
      const node = stack.pop()!;
      if (seen.has(node)) throw use.unsupported(`node ${node} of tree ${tree} twice on its way`, 'the file is damaged');
      seen.add(node);
      order.push(node);
      const next = [child(node, 'false'), child(node, 'true')].filter((one) => one !== undefined);
      stack.push(...next);
    }
  });
  return order;
}

function readLeaves(use: OnnxUse, prefix: string, place: (tree: number, node: number) => number, nodes: number) {
  const [trees, numbers, targets] = ['treeids', 'nodeids', 'ids'].map((name) =>
    use.attributes.ints(`${prefix}_${name}`),
  );
  int32s(use, `${prefix}_ids`, targets!);
  const weights = use.attributes.floats(`${prefix}_weights`);
  const entries = weights.length;
  if ([trees, numbers, targets].some((list) => list!.length !== entries))
    throw use.unsupported(`${prefix} lists of different lengths`, 'the file is damaged');
  // Weights of one leaf keep their order in the file: it is the order of the sum.
  const where = Int32Array.from({ length: entries }, (_, entry) => place(trees![entry]!, numbers![entry]!));
  const leafStart = new Int32Array(nodes + 1);
  for (const node of where) leafStart[node + 1]!++;
  for (let node = 0; node < nodes; node++) leafStart[node + 1]! += leafStart[node]!;
  const next = leafStart.slice();
  const leafTarget = new Int32Array(entries);
  const leafWeight = new Float32Array(entries);
  where.forEach((node, entry) => {
    const at = next[node]!++;
    leafTarget[at] = targets![entry]!;
    leafWeight[at] = weights[entry]!;
  });
  return { leafStart, leafTarget, leafWeight };
}
