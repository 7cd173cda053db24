import { dtypeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';
import type { OnnxUse } from '../../onnx-mapping.js';
import '../forest/index.js';
import type { Aggregate, GeneralForest } from '../forest/reference.js';
import { LEAF, MEMBER, NOT_EQUAL } from '../forest/reference.js';
import './index.js';
import { type Branches, parentsFirst } from './parents-first.js';

// A file may have millions of nodes, so all lists are typed arrays, and no node is an object.

/** Real numbers in the precision that the file uses. */
export type Reals = Float32Array | Float64Array;

/**
 * The entries of a list of leaves or set members, grouped by node. Node `n` has the entries
 * `order[starts[n]]` to `order[starts[n + 1] - 1]`.
 */
interface ByNode {
  readonly starts: Int32Array;
  /** Indices of the entries in the list of the file, grouped by node. */
  readonly order: Int32Array;
}

/** The nodes of a forest, in the order of the file. */
export interface FileNodes extends Branches {
  readonly modes: Uint8Array;
  readonly features: Int32Array;
  readonly thresholds: Reals;
  /** For each node: 1 if NaN takes the true branch, otherwise 0. */
  readonly missing: Uint8Array;
  /** The members of all sets. For each member, `node` is the node that tests its set. */
  readonly members?: { readonly node: Int32Array; readonly value: Float64Array };
  readonly leaves: { readonly node: Int32Array; readonly target: Int32Array; readonly weight: Reals };
}

/** A forest whose thresholds and weights have the precision of the file. */
export interface FileForest
  extends Omit<GeneralForest, 'threshold' | 'leafWeight' | 'memberStart' | 'members'>,
    Partial<Pick<GeneralForest, 'memberStart' | 'members'>> {
  readonly threshold: Reals;
  readonly leafWeight: Reals;
  /**
   * Whether a node has several parents. The operator `tree-ensemble` does not support such a
   * forest.
   */
  readonly isShared: boolean;
}

/**
 * Returns a forest whose nodes are sorted so that children come after their parents. Drops nodes
 * that no root reaches.
 */
export function orderedForest(use: OnnxUse, nodes: FileNodes, base: Float64Array): FileForest {
  const { order, isShared } = parentsFirst(use, nodes);
  const newIndex = new Int32Array(nodes.modes.length).fill(-1);
  for (let at = 0; at < order.length; at++) newIndex[order[at]!] = at;
  const leaves = byNode(order.length, nodes.leaves.node, newIndex);
  return {
    feature: taken(new Int32Array(order.length), nodes.features, order),
    threshold: comparedThresholds(nodes, order),
    mode: taken(new Int32Array(order.length), nodes.modes, order),
    trueChild: childIndices(nodes.yes, order, newIndex),
    falseChild: childIndices(nodes.no, order, newIndex),
    missingTrue: missingTrue(nodes, order),
    roots: nodes.roots.map((root) => newIndex[root]!),
    leafStart: leaves.starts,
    leafTarget: taken(new Int32Array(leaves.order.length), nodes.leaves.target, leaves.order),
    leafWeight: taken(likeReals(nodes.leaves.weight, leaves.order.length), nodes.leaves.weight, leaves.order),
    base,
    ...(nodes.members && orderedMembers(nodes.members, order.length, newIndex)),
    isShared,
  };
}

/**
 * Returns 1 for each node where NaN takes the true branch, otherwise 0. In a node that tests
 * inequality, NaN always takes the true branch, because NaN differs from every threshold. Like
 * onnxruntime and ONNX's reference, it ignores what the file says about such a node.
 */
const missingTrue = ({ modes, missing }: FileNodes, order: Int32Array): Int32Array =>
  order.map((old) => (modes[old] === NOT_EQUAL || missing[old] === 1 ? 1 : 0));

/**
 * Returns the thresholds in the new order of the nodes. Replaces NaN by 0 in leaves and membership
 * tests, because these nodes have no threshold.
 */
function comparedThresholds({ thresholds, modes }: FileNodes, order: Int32Array): Reals {
  const ordered = taken(likeReals(thresholds, order.length), thresholds, order);
  for (let at = 0; at < order.length; at++)
    if (modes[order[at]!]! >= LEAF && Number.isNaN(ordered[at]!)) ordered[at] = 0;
  return ordered;
}

function orderedMembers({ node, value }: NonNullable<FileNodes['members']>, nodes: number, newIndex: Int32Array) {
  const { starts, order } = byNode(nodes, node, newIndex);
  return { memberStart: starts, members: taken(new Float64Array(order.length), value, order) };
}

const likeReals = (reals: Reals, length: number): Reals =>
  reals instanceof Float32Array ? new Float32Array(length) : new Float64Array(length);

/**
 * Copies `from[order[0]], from[order[1]], ...` to `into`. Writes 0 for an index beyond the end of
 * `from`.
 */
function taken<List extends Int32Array | Reals>(into: List, from: ArrayLike<number>, order: Int32Array): List {
  for (let at = 0; at < order.length; at++) into[at] = order[at]! < from.length ? from[order[at]!]! : 0;
  return into;
}

function childIndices(children: Int32Array, order: Int32Array, newIndex: Int32Array): Int32Array {
  return order.map((old) => (children[old]! < 0 ? 0 : newIndex[children[old]!]!));
}

/**
 * Groups entries by the new index of their node. The entries of a node stay in the order of the
 * file. Omits entries whose node has no new index.
 */
function byNode(nodes: number, node: Int32Array, newIndex: Int32Array): ByNode {
  const starts = new Int32Array(nodes + 1);
  for (let entry = 0; entry < node.length; entry++) {
    const at = newIndex[node[entry]!]!;
    if (at >= 0) starts[at + 1]!++;
  }
  for (let at = 0; at < nodes; at++) starts[at + 1]! += starts[at]!;
  const next = starts.slice(0, nodes);
  const order = new Int32Array(starts[nodes]!);
  for (let entry = 0; entry < node.length; entry++) {
    const at = newIndex[node[entry]!]!;
    if (at >= 0) order[next[at]!++] = entry;
  }
  return { starts, order };
}

/**
 * Adds a forest to the program: the operator `tree-ensemble` if it supports the forest, otherwise
 * the operator `forest`. The result of `tree-ensemble` is float32. The result of `forest` has the
 * type of the features.
 */
export function applyForest(features: Flow<'vector'>, forest: FileForest, aggregate: Aggregate): Flow<'vector'> {
  const isFast =
    dtypeOf(features.type) === 'float32' &&
    aggregate === 'sum' &&
    !forest.isShared &&
    !forest.mode.includes(MEMBER) &&
    [forest.threshold, forest.leafWeight, forest.base].every(isNarrow);
  if (!isFast) return features.forest(generalForest(forest), aggregate);
  return features.treeEnsemble({
    ...forest,
    threshold: asFloat32(forest.threshold),
    leafWeight: asFloat32(forest.leafWeight),
    base: asFloat32(forest.base),
  });
}

const isNarrow = (list: Reals) =>
  list instanceof Float32Array || list.every((value) => Object.is(Math.fround(value), value));
const asFloat32 = (list: Reals) => (list instanceof Float32Array ? list : Float32Array.from(list));
const asFloat64 = (list: Reals) => (list instanceof Float64Array ? list : Float64Array.from(list));

const generalForest = (forest: FileForest): GeneralForest => ({
  ...forest,
  threshold: asFloat64(forest.threshold),
  leafWeight: asFloat64(forest.leafWeight),
  memberStart: forest.memberStart ?? new Int32Array(forest.mode.length + 1),
  members: forest.members ?? new Float64Array(0),
});

/**
 * Returns whether every leaf weight is at least 0. onnxruntime then treats the scores as
 * probabilities.
 */
export const isPositive = (forest: FileForest) => forest.leafWeight.every((weight) => weight >= 0);
