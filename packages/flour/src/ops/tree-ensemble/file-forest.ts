import { dtypeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';
import type { OnnxUse } from '../../onnx-mapping.js';
import '../forest/index.js';
import type { Aggregate, GeneralForest } from '../forest/reference.js';
import { MEMBER } from '../forest/reference.js';
import './index.js';

/** Nodes in the order of a file. A child is the number of a node, -1 for none. */
export interface FileNodes {
  readonly modes: readonly number[];
  readonly features: readonly number[];
  readonly thresholds: readonly number[];
  readonly missing: readonly number[];
  readonly yes: readonly number[];
  readonly no: readonly number[];
  /** Of nodes that test membership. */
  readonly members: readonly (readonly number[] | undefined)[];
  readonly roots: readonly number[];
  readonly leaves: readonly { readonly node: number; readonly target: number; readonly weight: number }[];
}

export interface FileForest extends GeneralForest {
  /** Whether some node has several parents: such a forest is no tree ensemble. */
  readonly isShared: boolean;
}

/** Nodes put in order, children after their parents; what no root reaches is dropped. */
export function orderedForest(use: OnnxUse, nodes: FileNodes, base: Float64Array): FileForest {
  const { order, isShared } = parentsFirst(use, nodes);
  const place = new Map(order.map((old, at) => [old, at]));
  const child = (list: readonly number[]) => Int32Array.from(order, (old) => place.get(list[old]!) ?? 0);
  const leaves = byNode(
    order.length,
    nodes.leaves.flatMap((leaf) => (place.has(leaf.node) ? [{ ...leaf, node: place.get(leaf.node)! }] : [])),
  );
  const members = byNode(
    order.length,
    order.flatMap((old, node) => (nodes.members[old] ?? []).map((value) => ({ node, value }))),
  );
  return {
    feature: Int32Array.from(order, (old) => nodes.features[old]!),
    threshold: Float64Array.from(order, (old) => nodes.thresholds[old]!),
    mode: Int32Array.from(order, (old) => nodes.modes[old]!),
    trueChild: child(nodes.yes),
    falseChild: child(nodes.no),
    missingTrue: Int32Array.from(order, (old) => nodes.missing[old]!),
    roots: Int32Array.from(nodes.roots, (root) => place.get(root)!),
    leafStart: leaves.starts,
    leafTarget: Int32Array.from(leaves.entries, ({ target }) => target),
    leafWeight: Float64Array.from(leaves.entries, ({ weight }) => weight),
    base,
    memberStart: members.starts,
    members: Float64Array.from(members.entries, ({ value }) => value),
    isShared,
  };
}

/** Entries grouped by node, in their order; group `n` lies at `starts[n] .. starts[n + 1]`. */
function byNode<E extends { readonly node: number }>(nodes: number, entries: readonly E[]) {
  const starts = new Int32Array(nodes + 1);
  for (const { node } of entries) starts[node + 1]!++;
  for (let node = 0; node < nodes; node++) starts[node + 1]! += starts[node]!;
  return { starts, entries: entries.toSorted((a, b) => a.node - b.node) };
}

const UNSEEN = 0;
const OPEN = 1;
const DONE = 2;

/**
 * Reachable nodes, children after all of their parents; of a tree in preorder, the true branch first. A cycle is refused.
 * Depth first without recursion: files decide how deep trees are. Trees are taken from the last on, and the whole is turned round, so that a
 * node that several trees share comes after all of them.
 */
function parentsFirst(use: OnnxUse, nodes: FileNodes): { order: number[]; isShared: boolean } {
  const state = new Uint8Array(nodes.modes.length);
  const finished: number[] = [];
  let isShared = false;
  for (const root of nodes.roots.toReversed()) {
    const stack = [root];
    while (stack.length > 0) {
      const node = stack.at(-1)!;
      if (state[node] === UNSEEN) {
        state[node] = OPEN;
        for (const child of [nodes.yes[node]!, nodes.no[node]!]) {
          if (child < 0) continue;
          if (state[child] === OPEN) throw use.unsupported(`node ${child} below itself`, 'the file is damaged');
          if (state[child] === UNSEEN) stack.push(child);
          else isShared = true;
        }
        continue;
      }
      stack.pop();
      if (state[node] === DONE) isShared = true;
      else finished.push(node);
      state[node] = DONE;
    }
  }
  return { order: finished.reverse(), isShared };
}

/** The scores of a forest: by the fast operator where it can, by the general one elsewhere. The result is float32 or as wide as the features. */
export function applyForest(features: Flow<'vector'>, forest: FileForest, aggregate: Aggregate): Flow<'vector'> {
  const isNarrow = (list: Float64Array) => list.every((value) => Object.is(Math.fround(value), value));
  const isFast =
    dtypeOf(features.type) === 'float32' &&
    aggregate === 'sum' &&
    !forest.isShared &&
    !forest.mode.includes(MEMBER) &&
    [forest.threshold, forest.leafWeight, forest.base].every(isNarrow);
  if (!isFast) return features.forest(forest, aggregate);
  return features.treeEnsemble({
    ...forest,
    threshold: Float32Array.from(forest.threshold),
    leafWeight: Float32Array.from(forest.leafWeight),
    base: Float32Array.from(forest.base),
  });
}

/** Whether every leaf weight is at least 0: then scores are taken for probabilities. */
export const isPositive = (forest: FileForest) => forest.leafWeight.every((weight) => weight >= 0);
