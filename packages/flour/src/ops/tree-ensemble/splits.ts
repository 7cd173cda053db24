import { LEAF } from './reference.js';

/** The nodes of trees, with the cover of each node. */
export interface CoveredTrees {
  readonly feature: Int32Array;
  readonly mode: Int32Array;
  readonly trueChild: Int32Array;
  readonly falseChild: Int32Array;
  readonly roots: Int32Array;
  /**
   * The number or the weight of the training rows that reached each node. One split of a model file
   * may be converted to several nodes. Then only the first of these nodes has a cover, and the
   * others have NaN.
   */
  readonly cover: Float32Array;
}

/**
 * The splits of trees. A split consists of one node, or of several nodes that were one split in the
 * model file. Its first node identifies the split.
 */
export interface Splits {
  /** The largest number of splits between a root and a leaf. */
  readonly deepest: number;
  /** The number of edges of all trees. An edge leads from a split to a branch. */
  readonly edges: number;
  /**
   * Whether each node has at most one parent split. If nodes had several parents, the number of
   * paths could grow exponentially.
   */
  readonly areTrees: boolean;
  isLeaf(node: number): boolean;
  /** Returns the branches of a split: the nodes to which it leads, each once. */
  branches(node: number): readonly number[];
  /** Returns the nodes of a split in ascending order. The first node identifies the split. */
  tests(node: number): readonly number[];
  /** Returns the branch of a split that a row takes. */
  taken(node: number, takesTrue: (node: number) => boolean): number;
}

/**
 * Returns what is wrong with the covers, or undefined if they are valid. A cover must be a finite
 * number from 0. A node that is neither a root nor a leaf may also have NaN.
 */
export function coverFault({ mode, roots, cover }: CoveredTrees): string | undefined {
  if (!(cover instanceof Float32Array)) return 'covers that are not float32';
  const isFit = (node: number) => cover[node]! >= 0 && cover[node]! < Infinity;
  const wrong = cover.findIndex((one, node) => !isFit(node) && (mode[node] === LEAF || !Number.isNaN(one)));
  const root = wrong >= 0 ? wrong : roots.find((node) => !isFit(node));
  return root === undefined ? undefined : `the cover ${cover[root]} of node ${root}`;
}

/** Finds the splits of trees. Cost: O(nodes). */
export function readSplits(trees: CoveredTrees): Splits {
  const { mode, trueChild, falseChild, cover } = trees;
  const isLeaf = (node: number) => mode[node] === LEAF;
  const isInside = (node: number) => !isLeaf(node) && Number.isNaN(cover[node]);
  const branches = Array.from(mode, (_, node) =>
    isLeaf(node) || isInside(node) ? [] : exitsAndTests(trees, node, isInside).exits,
  );
  const parents = new Uint32Array(mode.length);
  const depths = depthsOf(trees, branches);
  const deepest = depths.reduce((most, depth) => Math.max(most, depth), 0);
  return {
    deepest,
    edges: branches.reduce((sum, each) => sum + each.length, 0),
    areTrees: branches.every((each) => each.every((node) => parents[node]!++ === 0)),
    isLeaf,
    branches: (node) => branches[node]!,
    tests: (node) => exitsAndTests(trees, node, isInside).tests,
    taken(node, takesTrue) {
      let at = node;
      do at = takesTrue(at) ? trueChild[at]! : falseChild[at]!;
      while (isInside(at));
      return at;
    },
  };
}

/** Returns the nodes of a split, and the nodes to which they lead (`exits`), each once. */
function exitsAndTests(
  { trueChild, falseChild }: CoveredTrees,
  node: number,
  isInside: (node: number) => boolean,
): { exits: number[]; tests: number[] } {
  const exits = new Set<number>();
  const tests = new Set([node]);
  for (const test of tests) // the loop visits the tests that it adds
    for (const child of [trueChild[test]!, falseChild[test]!]) (isInside(child) ? tests : exits).add(child);
  return { exits: [...exits], tests: [...tests].sort((a, b) => a - b) };
}

/** Returns the number of splits above each node. Children must come after their parents. */
function depthsOf({ mode }: CoveredTrees, branches: readonly (readonly number[])[]): Uint32Array {
  const depths = new Uint32Array(mode.length);
  branches.forEach((each, node) => {
    for (const branch of each) depths[branch] = Math.max(depths[branch]!, depths[node]! + 1);
  });
  return depths;
}
