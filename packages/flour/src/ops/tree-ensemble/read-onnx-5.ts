import type { OnnxUse } from '../../onnx-mapping.js';
import { LEAF, MEMBER } from '../forest/reference.js';
import { type FileForest, type FileNodes, orderedForest, type Reals } from './file-forest.js';
import { flags, int32s } from './read-onnx.js';

/** The mode of a membership test in TreeEnsemble-5. Modes 0 to 5 are comparisons. */
const MODE_MEMBER = 6;

/**
 * Reads a forest from the attributes of TreeEnsemble-5. Unlike older operators, it lists branches
 * and leaves separately.
 */
export function readForest5(use: OnnxUse, base: Float64Array): FileForest {
  return orderedForest(use, readNodes(use), base);
}

function readNodes(use: OnnxUse): FileNodes {
  const { attributes } = use;
  const features = int32s(use, 'nodes_featureids', attributes.intArray('nodes_featureids'));
  const fileModes = modesOf(use);
  const thresholds = realsOf(use, 'nodes_splits');
  const yes = { name: 'nodes_truenodeids', isLeaf: isLeafOf(use, 'nodes_trueleafs') };
  const no = { name: 'nodes_falsenodeids', isLeaf: isLeafOf(use, 'nodes_falseleafs') };
  const lists = { modes: fileModes, thresholds, isYesLeaf: yes.isLeaf, isNoLeaf: no.isLeaf };
  for (const [name, list] of Object.entries(lists)) checkLength(use, name, list.length, features.length);
  const missing = attributes.has('nodes_missing_value_tracks_true')
    ? flags(attributes.intArray('nodes_missing_value_tracks_true'))
    : new Uint8Array(0);
  const branches = withLeaves(use, features.length, yes, no);
  const modes = new Uint8Array(branches.yes.length).fill(LEAF);
  modes.set(fileModes);
  const members = membersOf(use, modes, realsOf(use, 'membership_values'));
  return { modes, features, thresholds, missing, members, roots: rootsOf(use, features.length), ...branches };
}

function checkLength(use: OnnxUse, name: string, length: number, nodes: number): void {
  if (length !== nodes) throw use.unsupported(`${length} of ${name} for ${nodes} nodes`, 'the file is damaged');
}

const tensorData = (use: OnnxUse, name: string) => (use.attributes.tensor(name)?.data ?? []) as ArrayLike<unknown>;

/**
 * Returns the numbers of an attribute that is a tensor. Returns an empty list if the attribute is
 * missing.
 */
function realsOf(use: OnnxUse, name: string): Reals {
  const data = tensorData(use, name);
  return data instanceof Float32Array || data instanceof Float64Array ? data : Float64Array.from(data, Number);
}

function modesOf(use: OnnxUse): Uint8Array {
  const data = tensorData(use, 'nodes_modes');
  const modes = new Uint8Array(data.length);
  for (let node = 0; node < modes.length; node++) {
    const mode = Number(data[node]);
    if (!(mode >= 0 && mode <= MODE_MEMBER)) throw use.unsupported(`node mode ${mode}`);
    modes[node] = mode === MODE_MEMBER ? MEMBER : mode;
  }
  return modes;
}

/**
 * Returns 1 for each node whose true branch (or false branch, depending on `name`) leads to a leaf,
 * otherwise 0.
 */
function isLeafOf(use: OnnxUse, name: string): Uint8Array {
  const isLeafFlags = use.attributes.intArray(name);
  const isLeaf = new Uint8Array(isLeafFlags.length);
  for (let node = 0; node < isLeaf.length; node++) isLeaf[node] = isLeafFlags[node] === 0 ? 0 : 1;
  return isLeaf;
}

/**
 * The true branches or the false branches of all nodes. `name` is the attribute that lists the
 * children, and `isLeaf` has a 1 for each child that is a leaf.
 */
interface BranchList {
  readonly name: string;
  readonly isLeaf: Uint8Array;
}

/**
 * Adds a leaf node for each branch that leads to a leaf. Its index is greater than the indices of
 * the nodes in the file.
 */
function withLeaves(
  use: OnnxUse,
  count: number,
  yes: BranchList,
  no: BranchList,
): Pick<FileNodes, 'yes' | 'no' | 'leaves'> {
  const targets = int32s(use, 'leaf_targetids', use.attributes.intArray('leaf_targetids'));
  const weights = realsOf(use, 'leaf_weights');
  if (targets.length !== weights.length)
    throw use.unsupported(`${weights.length} weights for ${targets.length} leaves`, 'the file is damaged');
  const leaves = leafBranches(yes) + leafBranches(no);
  const node = new Int32Array(leaves);
  const target = new Int32Array(leaves);
  const weight = weights instanceof Float32Array ? new Float32Array(leaves) : new Float64Array(leaves);
  let next = 0;
  const children = ({ name, isLeaf }: BranchList) => {
    const to = use.attributes.intArray(name);
    checkLength(use, name, to.length, count);
    const list = new Int32Array(count + leaves).fill(-1);
    for (let at = 0; at < count; at++) {
      const child = to[at]!;
      if (!(child >= 0 && child < (isLeaf[at] === 0 ? count : targets.length))) throw noSuch(use, isLeaf[at]!, child);
      list[at] = isLeaf[at] === 0 ? child : count + next;
      if (isLeaf[at] === 0) continue;
      node[next] = count + next;
      target[next] = targets[child]!;
      weight[next++] = weights[child]!;
    }
    return list;
  };
  return { yes: children(yes), no: children(no), leaves: { node, target, weight } };
}

const noSuch = (use: OnnxUse, isLeaf: number, child: number) =>
  use.unsupported(
    `a branch to ${isLeaf === 0 ? 'node' : 'leaf'} ${child}, which does not exist`,
    'the file is damaged',
  );

const leafBranches = ({ isLeaf }: BranchList) => isLeaf.reduce((count, flag) => count + flag, 0);

function rootsOf(use: OnnxUse, nodes: number): Int32Array {
  const roots = use.attributes.intArray('tree_roots');
  const wrong = roots.find((root) => !(root >= 0 && root < nodes));
  if (wrong !== undefined) throw use.unsupported(`a tree that starts at node ${wrong}`, 'the file is damaged');
  return int32s(use, 'tree_roots', roots);
}

/**
 * Reads the sets of the nodes that test whether a feature is in a set. The file lists the sets in
 * the order of these nodes, with a NaN after each set. The NaN after the last set may be missing.
 */
function membersOf(use: OnnxUse, modes: Uint8Array, values: Reals): NonNullable<FileNodes['members']> {
  let ends = 0;
  for (const value of values) if (Number.isNaN(value)) ends++;
  const sets = ends + (values.length > 0 && !Number.isNaN(values.at(-1)) ? 1 : 0);
  const testing = nodesWith(modes, MEMBER);
  if (testing.length !== sets)
    throw use.unsupported(`${sets} sets for ${testing.length} nodes that test membership`, 'the file is damaged');
  const node = new Int32Array(values.length - ends);
  const value = new Float64Array(values.length - ends);
  let set = 0;
  let next = 0;
  for (const one of values) {
    if (Number.isNaN(one)) {
      set++;
      continue;
    }
    node[next] = testing[set]!;
    value[next++] = one;
  }
  return { node, value };
}

function nodesWith(modes: Uint8Array, mode: number): Int32Array {
  const found = new Int32Array(modes.reduce((count, one) => (one === mode ? count + 1 : count), 0));
  let next = 0;
  for (let node = 0; node < modes.length; node++) if (modes[node] === mode) found[next++] = node;
  return found;
}
