import { vector } from '@brezel/core';
import type { FlourContext, Flow, Forest } from '@brezel/flour';
import { seed } from '../../brezel/test/conformance/seed.js';

let state = seed >>> 0;

/** Returns a number from 0 to 1 (mulberry32), seeded by the run. */
export function uniform(): number {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

export const below = (limit: number): number => Math.floor(uniform() * limit);
/** Returns random numbers with magnitudes around 1, because tolerances apply to such inputs. */
export const numbers = (count: number): number[] => Array.from({ length: count }, () => Math.fround(2 * uniform() - 1));
export const rowsOf = (count: number, width: number): number[][] => Array.from({ length: count }, () => numbers(width));

export const features = (flour: FlourContext, size: number): Flow<'vector'> =>
  flour.input('x', vector('float32', size)) as Flow<'vector'>;

const LEAF = 6;

export interface ForestShape {
  readonly trees: number;
  readonly depth: number;
  readonly features: number;
  readonly targets: number;
  /** Comparison modes from which branches choose: 0 <=, 1 <, 2 >=, 3 >. */
  readonly modes?: readonly number[];
  readonly missing?: boolean;
}

/**
 * Returns random trees of any form up to a depth. Thresholds are multiples of 1/4, so that some
 * rows equal them exactly.
 */
export function randomForest({ trees, depth, features, targets, modes = [0], missing = false }: ForestShape): Forest {
  const nodes: { feature: number; threshold: number; mode: number; missing: number; yes: number; no: number }[] = [];
  const grow = (left: number): number => {
    const isLeaf = left === 0 || uniform() < 0.15;
    const mode = isLeaf ? LEAF : modes[below(modes.length)]!;
    const node = { feature: below(features), threshold: quarter(), mode, missing: 0, yes: 0, no: 0 };
    if (missing) node.missing = below(2);
    const at = nodes.push(node) - 1;
    if (!isLeaf) [node.yes, node.no] = [grow(left - 1), grow(left - 1)];
    return at;
  };
  const roots = Array.from({ length: trees }, () => grow(depth));
  const leaves = nodes.flatMap(({ mode }, at) => (mode === LEAF ? [at] : []));
  let start = 0;
  return {
    feature: Int32Array.from(nodes, (node) => node.feature),
    threshold: Float32Array.from(nodes, (node) => node.threshold),
    mode: Int32Array.from(nodes, (node) => node.mode),
    trueChild: Int32Array.from(nodes, (node) => node.yes),
    falseChild: Int32Array.from(nodes, (node) => node.no),
    missingTrue: Int32Array.from(nodes, (node) => node.missing),
    roots: Int32Array.from(roots),
    leafStart: Int32Array.from([0, ...nodes.map(({ mode }) => (mode === LEAF ? ++start : start))]),
    leafTarget: Int32Array.from(leaves, () => below(targets)),
    leafWeight: Float32Array.from(numbers(leaves.length)),
    base: Float32Array.from(numbers(targets)),
  };
}

export const quarter = () => (below(9) - 4) / 4;
/**
 * Returns rows for forests: multiples of 1/4, which can equal thresholds. With `hasOdd`, also NaN,
 * infinities and -0.
 */
export const oddRows = (count: number, width: number, hasOdd: boolean): number[][] =>
  Array.from({ length: count }, () =>
    Array.from({ length: width }, () =>
      hasOdd && uniform() < 0.2
        ? [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0][below(4)]!
        : quarter(),
    ),
  );
