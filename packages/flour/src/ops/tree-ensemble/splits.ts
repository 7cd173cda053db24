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
  /** The most tests between a root and a leaf. */
  readonly deepest: number;
  /** Whether no two splits lead to one node. Otherwise the number of paths has no bound. */
  readonly areTrees: boolean;
  isLeaf(node: number): boolean;
  /** Returns the branches of a split, each once. */
  branches(node: number): readonly number[];
  /** Returns the branch that a row takes. */
  taken(node: number, takesTrue: (node: number) => boolean): number;
}

const known = new WeakMap<Float32Array, Splits>();

/** Returns the splits of trees, computed once for each list of covers. */
export function splitsOf(trees: CoveredTrees): Splits {
  let splits = known.get(trees.cover);
  if (splits === undefined) {
    splits = readSplits(trees);
    known.set(trees.cover, splits);
  }
  return splits;
}

function readSplits(trees: CoveredTrees): Splits {
  const { mode, trueChild, falseChild, cover } = trees;
  const isLeaf = (node: number) => mode[node] === LEAF;
  const isInside = (node: number) => !isLeaf(node) && Number.isNaN(cover[node]);
  const branches = Array.from(mode, (_, node) => (isLeaf(node) || isInside(node) ? [] : exits(trees, node, isInside)));
  const parents = new Uint32Array(mode.length);
  return {
    deepest: deepestTree(trees),
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

/** Returns the number of tests on the longest path of a forest. */
function deepestTree({ mode, trueChild, falseChild }: CoveredTrees): number {
  const depths = new Uint32Array(mode.length);
  let deepest = 0;
  for (let node = mode.length - 1; node >= 0; node--) {
    if (mode[node] === LEAF) continue;
    depths[node] = 1 + Math.max(depths[trueChild[node]!]!, depths[falseChild[node]!]!);
    deepest = Math.max(deepest, depths[node]!);
  }
  return deepest;
}
