import { type Forest, normalNode } from '@brezel/flour';

/**
 * A forest in which every branch is `x <= threshold`. Both children of a leaf are the leaf itself.
 */
export interface OrderedForest {
  readonly roots: Int32Array;
  readonly feature: Int32Array;
  readonly threshold: Float32Array;
  readonly low: Int32Array;
  readonly high: Int32Array;
  /** 1 for each branch at which NaN takes the `low` child, otherwise 0. */
  readonly nanIsLow: Uint8Array;
  readonly hasNanLow: boolean;
  /** The largest number of branches between a root and a leaf. */
  readonly depth: number;
  /**
   * The number that each node adds to each target, `[nodes, targets]`. 0 for nodes that are not
   * leaves.
   */
  readonly payload: Float32Array;
  readonly base: Float32Array;
}

const LEAF = 6;

export function orderedForest(forest: Forest): OrderedForest {
  const nodes = forest.mode.length;
  const feature = new Int32Array(nodes);
  const threshold = new Float32Array(nodes).fill(Number.POSITIVE_INFINITY);
  const low = Int32Array.from({ length: nodes }, (_, node) => node);
  const high = low.slice();
  const nanIsLow = new Uint8Array(nodes);
  const depths = new Int32Array(nodes);
  for (let node = nodes - 1; node >= 0; node--) {
    if (forest.mode[node] === LEAF) continue;
    const normal = normalNode(forest, node);
    feature[node] = forest.feature[node]!;
    threshold[node] = normal.threshold;
    low[node] = normal.low;
    high[node] = normal.high;
    nanIsLow[node] = Number(normal.nanIsLow);
    // children have greater indices than their parents
    depths[node] = 1 + Math.max(depths[normal.low]!, depths[normal.high]!);
  }
  return {
    roots: forest.roots,
    feature,
    threshold,
    low,
    high,
    nanIsLow,
    hasNanLow: nanIsLow.includes(1),
    depth: forest.roots.reduce((most, root) => Math.max(most, depths[root]!), 0),
    payload: payloadOf(forest),
    base: forest.base,
  };
}

function payloadOf({ mode, leafStart, leafTarget, leafWeight, base }: Forest): Float32Array {
  const payload = new Float32Array(mode.length * base.length);
  for (let node = 0; node < mode.length; node++) {
    if (mode[node] !== LEAF) continue;
    for (let leaf = leafStart[node]!; leaf < leafStart[node + 1]!; leaf++) {
      const cell = node * base.length + leafTarget[leaf]!;
      payload[cell] = payload[cell]! + leafWeight[leaf]!;
    }
  }
  return payload;
}

/**
 * The branches and leaves of one tree. For each leaf, `lows` and `highs` list the branches above
 * it, by the child that leads to the leaf.
 */
export interface TreePaths {
  readonly branches: readonly number[];
  readonly leaves: readonly {
    readonly node: number;
    readonly lows: readonly number[];
    readonly highs: readonly number[];
  }[];
}

export interface Paths {
  readonly trees: readonly TreePaths[];
  /** The number of branches of the tree with most branches. */
  readonly branches: number;
  readonly leaves: number;
}

/**
 * Returns the paths to all leaves. Returns undefined if a node has several parents in one tree, or
 * if all paths together have more than `most` branches.
 */
export function pathsOf(forest: OrderedForest, most: number): Paths | undefined {
  const trees: TreePaths[] = [];
  let steps = 0;
  for (const root of forest.roots) {
    const tree = treePaths(forest, root, most - steps);
    if (tree === undefined) return undefined;
    steps += tree.leaves.reduce((sum, { lows, highs }) => sum + lows.length + highs.length, 1);
    trees.push(tree);
  }
  const widest = (size: (tree: TreePaths) => number) => trees.reduce((wide, tree) => Math.max(wide, size(tree)), 1);
  return { trees, branches: widest((tree) => tree.branches.length), leaves: widest((tree) => tree.leaves.length) };
}

function treePaths({ low, high }: OrderedForest, root: number, most: number): TreePaths | undefined {
  const branches: number[] = [];
  const leaves: TreePaths['leaves'][number][] = [];
  const seen = new Set<number>();
  const open: [node: number, lows: readonly number[], highs: readonly number[]][] = [[root, [], []]];
  let steps = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, lows, highs] = next;
    steps += lows.length + highs.length;
    if (seen.has(node) || steps > most) return undefined;
    seen.add(node);
    if (low[node] === node) {
      leaves.push({ node, lows, highs });
      continue;
    }
    const branch = branches.push(node) - 1;
    open.push([high[node]!, lows, [...highs, branch]], [low[node]!, [...lows, branch], highs]);
  }
  return { branches, leaves };
}
