import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LEAF } from './reference.js';
import { shapTrees } from './shap-trees.js';
import { type CoveredTrees, readSplits, type Splits } from './splits.js';
import { addTreeInteractions } from './tree-interactions.js';
import { addTreeShap, expectedSum } from './tree-shap.js';

const FEATURES = 5;

/**
 * A tree as a model file describes it: a split tests whether a feature is in a set of whole
 * numbers.
 */
type Tree =
  | { readonly value: number }
  | { readonly feature: number; readonly from: number; readonly to: number; readonly yes: Tree; readonly no: Tree };

const trees: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree; leaf: Tree; split: Tree }>((tie) => ({
  tree: fc.oneof({ maxDepth: 5, depthIdentifier: 'tree' }, tie('leaf'), tie('split'), tie('split')),
  leaf: fc.record({ value: fc.integer({ min: -50, max: 50 }) }),
  split: fc.record({
    feature: fc.nat(FEATURES - 1),
    from: fc.integer({ min: 0, max: 3 }),
    to: fc.integer({ min: 2, max: 5 }),
    yes: tie('tree'),
    no: tie('tree'),
  }),
})).tree;

interface Planted extends CoveredTrees {
  readonly threshold: readonly number[];
  readonly value: readonly number[];
}

/**
 * Writes each split `from <= x < to` as two tests that share a child, and gives the second test no
 * cover. The covers of leaves are random. The cover of a split is the sum of its branches' covers.
 */
function plant(roots: readonly Tree[], covers: readonly number[]): Planted {
  const nodes: { feature: number; threshold: number; mode: number; yes: number; no: number; value: number }[] = [];
  const cover: number[] = [];
  let drawn = 0;
  const nextCover = () => covers[drawn++ % covers.length]!;
  const add = (feature: number, threshold: number, mode: number, value: number) =>
    nodes.push({ feature, threshold, mode, yes: 0, no: 0, value }) - 1;
  const grow = (tree: Tree): number => {
    if ('value' in tree) {
      const leaf = add(0, 0, LEAF, tree.value);
      cover[leaf] = nextCover();
      return leaf;
    }
    const [below, inside] = [add(tree.feature, tree.from, 1, 0), add(tree.feature, tree.to, 1, 0)];
    const [yes, no] = [grow(tree.yes), grow(tree.no)];
    Object.assign(nodes[below]!, { yes: no, no: inside });
    Object.assign(nodes[inside]!, { yes, no });
    cover[below] = cover[yes]! + cover[no]!;
    cover[inside] = Number.NaN;
    return below;
  };
  const starts = roots.map(grow);
  const list = (name: 'feature' | 'mode' | 'yes' | 'no') => Int32Array.from(nodes, (node) => node[name]);
  return {
    feature: list('feature'),
    mode: list('mode'),
    trueChild: list('yes'),
    falseChild: list('no'),
    roots: Int32Array.from(starts),
    cover: Float32Array.from(cover),
    threshold: nodes.map(({ threshold }) => threshold),
    value: nodes.map(({ value }) => value),
  };
}

/** A forest and the tests of one row. */
interface Question {
  readonly trees: Planted;
  readonly splits: Splits;
  readonly takesTrue: (node: number) => boolean;
  readonly leafValue: (leaf: number) => number;
}

const question = (planted: Planted, row: readonly number[]): Question => ({
  trees: planted,
  splits: readSplits(planted),
  takesTrue: (node) => row[planted.feature[node]!]! < planted.threshold[node]!,
  leafValue: (leaf) => planted.value[leaf]!,
});

/** Returns the contribution of each feature, by TreeSHAP. */
function contributionsOf({ trees: planted, splits, takesTrue, leafValue }: Question): Map<number, number> {
  const prepared = shapTrees(planted, splits);
  const values = Float64Array.from(prepared.node, (node) => (splits.isLeaf(node) ? leafValue(node) : 0));
  const takes = (_: number, edge: number) => splits.taken(prepared.split[edge]!, takesTrue) === prepared.node[edge];
  const sums = new Float64Array(prepared.features.length);
  addTreeShap({ trees: prepared, values, rows: 1, takes }, sums);
  return new Map(Array.from(prepared.features, (feature, column) => [feature, sums[column]!]));
}

/**
 * Returns the interaction of each pair of features, as a matrix. The row and the column of a
 * feature that no tree tests are 0.
 */
function interactionsOf({ trees: planted, splits, takesTrue, leafValue }: Question): number[][] {
  const prepared = shapTrees(planted, splits);
  const { features } = prepared;
  const values = Float64Array.from(prepared.node, (node) => (splits.isLeaf(node) ? leafValue(node) : 0));
  const takes = (_: number, edge: number) => splits.taken(prepared.split[edge]!, takesTrue) === prepared.node[edge];
  const sums = new Float64Array(features.length ** 2);
  addTreeInteractions({ trees: prepared, values, rows: 1, takes }, sums);
  const all = Array.from({ length: FEATURES }, () => new Array<number>(FEATURES).fill(0));
  sums.forEach((sum, at) => {
    all[features[Math.floor(at / features.length)]!]![features[at % features.length]!] = sum;
  });
  return all;
}

const meanOf = ({ trees: planted, splits, leafValue }: Question) => expectedSum(planted, splits, leafValue);

/**
 * Computes the mean answer if only some features are known. On a split of an unknown feature, a row
 * takes both branches, weighted by cover.
 */
function meanKnowing({ trees: planted, splits, takesTrue, leafValue }: Question, known: ReadonlySet<number>): number {
  const mean = (node: number): number => {
    if (splits.isLeaf(node)) return leafValue(node);
    if (known.has(planted.feature[node]!)) return mean(splits.taken(node, takesTrue));
    return splits
      .branches(node)
      .reduce((sum, branch) => sum + (mean(branch) * planted.cover[branch]!) / planted.cover[node]!, 0);
  };
  return planted.roots.reduce((sum, root) => sum + mean(root), 0);
}

/**
 * Computes Shapley values by their definition: the mean change of the answer over all orders in
 * which features become known.
 */
function shapley(call: Question): number[] {
  const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));
  const sums = new Array<number>(FEATURES).fill(0);
  for (let set = 0; set < 2 ** FEATURES; set++) {
    const known = new Set([...sums.keys()].filter((feature) => (set >> feature) & 1));
    const before = meanKnowing(call, known);
    for (let feature = 0; feature < FEATURES; feature++) {
      if (known.has(feature)) continue;
      const orders = factorial(known.size) * factorial(FEATURES - known.size - 1);
      sums[feature]! += ((meanKnowing(call, new Set(known).add(feature)) - before) * orders) / factorial(FEATURES);
    }
  }
  return sums;
}

/**
 * Computes half of the Shapley interaction index of each pair by its definition. The interaction of
 * a pair is the change of the score if both features become known, minus the two changes if only
 * one of them becomes known. The index is the mean interaction over all orders of the features in
 * which the pair counts as one feature.
 */
function shapleyInteractions(call: Question): number[][] {
  const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));
  const all = Array.from({ length: FEATURES }, () => new Array<number>(FEATURES).fill(0));
  const means = Array.from({ length: 2 ** FEATURES }, (_, set) =>
    meanKnowing(call, new Set([...all.keys()].filter((feature) => (set >> feature) & 1))),
  );
  for (let set = 0; set < 2 ** FEATURES; set++) {
    const known = [...all.keys()].filter((feature) => (set >> feature) & 1).length;
    for (let one = 0; one < FEATURES; one++)
      for (let other = 0; other < FEATURES; other++) {
        const [first, second] = [1 << one, 1 << other];
        if (one === other || set & first || set & second) continue;
        const orders = (factorial(known) * factorial(FEATURES - known - 2)) / factorial(FEATURES - 1);
        const change = means[set | first | second]! - means[set | first]! - means[set | second]! + means[set]!;
        all[one]![other]! += (orders * change) / 2;
      }
  }
  return all;
}

describe('TreeSHAP', () => {
  const forests = fc
    .tuple(fc.array(trees, { minLength: 1, maxLength: 3 }), fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }))
    .map(([roots, covers]) => plant(roots, covers));
  const rows = fc.array(fc.integer({ min: -1, max: 6 }), { minLength: FEATURES, maxLength: FEATURES });

  test('gives the Shapley values of the definition', () => {
    fc.assert(
      fc.property(forests, rows, (planted, row) => {
        const call = question(planted, row);
        const sums = contributionsOf(call);
        shapley(call).forEach((wanted, feature) => {
          expect(sums.get(feature) ?? 0).toBeCloseTo(wanted, 8);
        });
        const expected = meanOf(call);
        expect(expected).toBeCloseTo(meanKnowing(call, new Set()), 8);
        const answer = meanKnowing(call, new Set(Array(FEATURES).keys()));
        expect([...sums.values()].reduce((sum, value) => sum + value, expected)).toBeCloseTo(answer, 8);
      }),
    );
  });

  test('gives the Shapley interactions of the definition', () => {
    fc.assert(
      fc.property(forests, rows, (planted, row) => {
        const call = question(planted, row);
        const found = interactionsOf(call);
        shapleyInteractions(call).forEach((wanted, one) => {
          wanted.forEach((value, other) => {
            expect(found[one]![other]).toBeCloseTo(value, 8);
          });
        });
      }),
    );
  });

  test('adds up to the answer in a tree of 150 splits in a row', () => {
    const deep = (left: number): Tree =>
      left === 0 ? { value: 7 } : { feature: left, from: 5, to: 6, yes: { value: left }, no: deep(left - 1) };
    const planted = plant([deep(150)], [1, 90, 3]);
    const call = question(planted, new Array(151).fill(0));
    const sums = contributionsOf(call);
    expect([...sums.values()].reduce((sum, value) => sum + value, meanOf(call))).toBeCloseTo(7, 8);
  });

  test('finds nodes that two splits share', () => {
    const leaf = { value: 1 };
    const planted = plant([{ feature: 0, from: 0, to: 2, yes: leaf, no: leaf }], [1]);
    expect(readSplits(planted).areTrees).toBe(true);
    const roots = Int32Array.of(0);
    const shared = { ...planted, roots, cover: planted.cover.map(() => 1) }; // two splits now
    expect(readSplits(shared).areTrees).toBe(false);
  });
});
