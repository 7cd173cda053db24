import { LEAF } from './reference.js';

/** The nodes of trees with covers. */
export interface CoveredTrees {
  readonly feature: Int32Array;
  readonly mode: Int32Array;
  readonly trueChild: Int32Array;
  readonly falseChild: Int32Array;
  readonly roots: Int32Array;
  /**
   * How many training rows reached each node, or their weight. NaN marks a test that belongs to the
   * split of its parent: one split of a file may need several tests of one feature.
   */
  readonly cover: Float32Array;
}

/**
 * The splits of a file: a node whose test starts a split, and the branches that leave the split.
 */
export interface Splits {
  /** The most splits between a root and a leaf. */
  readonly deepest: number;
  /** Number of steps of an explanation: the splits in front of each leaf, times half the depth. */
  readonly steps: number;
  /** Whether no two splits lead to one node. Otherwise the number of paths has no bound. */
  readonly areTrees: boolean;
  isLeaf(node: number): boolean;
  /** Returns the branches of a split, each once. */
  branches(node: number): readonly number[];
  /** Returns the branch that a row takes. */
  taken(node: number, takesTrue: (node: number) => boolean): number;
}

/**
 * Returns why covers do not describe trees; undefined if they do. Roots and leaves need a number
 * from 0.
 */
export function coverFault({ mode, roots, cover }: CoveredTrees): string | undefined {
  if (!(cover instanceof Float32Array)) return 'covers that are not float32';
  const isFit = (node: number) => cover[node]! >= 0 && cover[node]! < Infinity;
  const wrong = cover.findIndex((one, node) => !isFit(node) && (mode[node] === LEAF || !Number.isNaN(one)));
  const root = wrong >= 0 ? wrong : roots.find((node) => !isFit(node));
  return root === undefined ? undefined : `the cover ${cover[root]} of node ${root}`;
}

/** Reads the splits of trees. Cost: O(nodes). */
export function readSplits(trees: CoveredTrees): Splits {
  const { mode, trueChild, falseChild, cover } = trees;
  const isLeaf = (node: number) => mode[node] === LEAF;
  const isInside = (node: number) => !isLeaf(node) && Number.isNaN(cover[node]);
  const branches = Array.from(mode, (_, node) => (isLeaf(node) || isInside(node) ? [] : exits(trees, node, isInside)));
  const parents = new Uint32Array(mode.length);
  const depths = depthsOf(trees, branches);
  const deepest = depths.reduce((most, depth) => Math.max(most, depth), 0);
  const splitsToLeaves = depths.reduce((sum, depth, node) => (isLeaf(node) ? sum + depth : sum), 0);
  return {
    deepest,
    steps: splitsToLeaves * Math.ceil(deepest / 2),
    areTrees: branches.every((each) => each.every((node) => parents[node]!++ === 0)),
    isLeaf,
    branches: (node) => branches[node]!,
    taken(node, takesTrue) {
      let at = node;
      do at = takesTrue(at) ? trueChild[at]! : falseChild[at]!;
      while (isInside(at));
      return at;
    },
  };
}

/** Returns the nodes that follow the tests of a split, each once. */
function exits({ trueChild, falseChild }: CoveredTrees, node: number, isInside: (node: number) => boolean): number[] {
  const found = new Set<number>();
  const tests = new Set([node]);
  for (const test of tests) // the loop visits the tests that it adds
    for (const child of [trueChild[test]!, falseChild[test]!]) (isInside(child) ? tests : found).add(child);
  return [...found];
}

/** Returns the number of splits in front of each node. Children come after their parents. */
function depthsOf({ mode }: CoveredTrees, branches: readonly (readonly number[])[]): Uint32Array {
  const depths = new Uint32Array(mode.length);
  branches.forEach((each, node) => {
    for (const branch of each) depths[branch] = Math.max(depths[branch]!, depths[node]! + 1);
  });
  return depths;
}
