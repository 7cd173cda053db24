import type { OnnxUse } from '../../onnx-mapping.js';
import { LEAF, MEMBER } from '../forest/reference.js';
import { type FileForest, type FileNodes, orderedForest } from './file-forest.js';
import { int32s } from './read-onnx.js';

/** Modes as TreeEnsemble-5 numbers them: the six comparisons, then membership. */
const MODE_MEMBER = 6;

/** A forest from the attributes of TreeEnsemble-5: branches and leaves have lists of their own. */
export function readForest5(use: OnnxUse, base: Float64Array): FileForest {
  const { attributes } = use;
  const numbers = (name: string) => Array.from((attributes.tensor(name)?.data ?? []) as ArrayLike<number>, Number);
  const features = int32s(use, 'nodes_featureids', attributes.ints('nodes_featureids'));
  const count = features.length;
  const given = numbers('nodes_modes');
  const lists = {
    modes: given.map((mode) => (mode === MODE_MEMBER ? MEMBER : mode)),
    thresholds: numbers('nodes_splits'),
    yes: attributes.ints('nodes_truenodeids'),
    no: attributes.ints('nodes_falsenodeids'),
    isYesLeaf: attributes.ints('nodes_trueleafs'),
    isNoLeaf: attributes.ints('nodes_falseleafs'),
  };
  const odd = Object.entries(lists).find(([, list]) => list.length !== count);
  if (odd !== undefined)
    throw use.unsupported(`${odd[1].length} of ${odd[0]} for ${count} nodes`, 'the file is damaged');
  const wrong = given.find((mode) => !(mode >= 0 && mode <= MODE_MEMBER));
  if (wrong !== undefined) throw use.unsupported(`node mode ${wrong}`);

  const leaves: { node: number; target: number; weight: number }[] = [];
  const targets = int32s(use, 'leaf_targetids', attributes.ints('leaf_targetids'));
  const weights = numbers('leaf_weights');
  if (targets.length !== weights.length)
    throw use.unsupported(`${weights.length} weights for ${targets.length} leaves`, 'the file is damaged');
  /** Each branch to a leaf gets a leaf of its own. */
  const child = (to: number, isLeaf: boolean): number => {
    if (!(to >= 0 && to < (isLeaf ? targets.length : count)))
      throw use.unsupported(
        `a branch to ${isLeaf ? 'leaf' : 'node'} ${to}, which does not exist`,
        'the file is damaged',
      );
    if (!isLeaf) return to;
    leaves.push({ node: count + leaves.length, target: targets[to]!, weight: weights[to]! });
    return leaves.at(-1)!.node;
  };
  const yes = lists.yes.map((to, node) => child(to, lists.isYesLeaf[node] !== 0));
  const no = lists.no.map((to, node) => child(to, lists.isNoLeaf[node] !== 0));
  const missing = attributes.has('nodes_missing_value_tracks_true')
    ? attributes.ints('nodes_missing_value_tracks_true')
    : [];
  const filled = (list: readonly number[], otherwise: number) =>
    Array.from({ length: count + leaves.length }, (_, node) => list[node] ?? otherwise);
  const nodes: FileNodes = {
    modes: filled(lists.modes, LEAF),
    features: filled(features, 0),
    thresholds: filled(lists.thresholds, 0),
    missing: filled(missing, 0),
    yes: filled(yes, -1),
    no: filled(no, -1),
    members: membersOf(use, lists.modes, numbers('membership_values')),
    roots: rootsOf(use, count),
    leaves,
  };
  return orderedForest(use, nodes, base);
}

function rootsOf(use: OnnxUse, nodes: number): number[] {
  const roots = use.attributes.ints('tree_roots');
  const wrong = roots.find((root) => !(root >= 0 && root < nodes));
  if (wrong !== undefined) throw use.unsupported(`a tree that starts at node ${wrong}`, 'the file is damaged');
  return roots;
}

/** Sets lie one after the other, each ended by a NaN, in the order of the nodes that test them. */
function membersOf(use: OnnxUse, modes: readonly number[], values: readonly number[]): FileNodes['members'] {
  const sets: number[][] = [[]];
  for (const value of values) {
    if (Number.isNaN(value)) sets.push([]);
    else sets.at(-1)!.push(value);
  }
  if (sets.at(-1)!.length === 0) sets.pop(); // what follows the last NaN
  const testing = modes.flatMap((mode, node) => (mode === MEMBER ? [node] : []));
  if (testing.length !== sets.length)
    throw use.unsupported(
      `${sets.length} sets for ${testing.length} nodes that test membership`,
      'the file is damaged',
    );
  const members: (readonly number[] | undefined)[] = [];
  testing.forEach((node, set) => {
    members[node] = sets[set]!;
  });
  return members;
}
