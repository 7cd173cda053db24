import type { Forest, TreeOutput } from '@brezel/flour';
import fc from 'fast-check';
import { anyFloat, denseCase, type OperatorCases, rowsOf } from '../../case.js';

const { NaN: nan } = Number;
const LEAF = 6;
const outputs: readonly TreeOutput[] = ['values', 'leaves', 'paths'];

type Tree =
  | number
  | {
      readonly feature: number;
      readonly mode: number;
      readonly threshold: number;
      readonly missing: number;
      readonly yes: Tree;
      readonly no: Tree;
    };

/**
 * Builds a forest with one target from trees as the test cases write them. A leaf is written as a
 * number: its weight.
 */
function plant(trees: readonly Tree[]): Forest {
  const nodes: {
    feature: number;
    threshold: number;
    mode: number;
    missing: number;
    yes: number;
    no: number;
    weight: number;
  }[] = [];
  const grow = (tree: Tree): number => {
    const at = nodes.length;
    if (typeof tree === 'number')
      return nodes.push({ feature: 0, threshold: 0, mode: LEAF, missing: 0, yes: 0, no: 0, weight: tree }) - 1;
    const { feature, threshold, mode, missing } = tree;
    nodes.push({ feature, threshold, mode, missing, yes: 0, no: 0, weight: 0 });
    nodes[at]!.yes = grow(tree.yes);
    nodes[at]!.no = grow(tree.no);
    return at;
  };
  const roots = trees.map(grow);
  const leaves = nodes.filter((node) => node.mode === LEAF);
  let start = 0;
  return {
    feature: Int32Array.from(nodes, (node) => node.feature),
    threshold: Float32Array.from(nodes, (node) => node.threshold),
    mode: Int32Array.from(nodes, (node) => node.mode),
    trueChild: Int32Array.from(nodes, (node) => node.yes),
    falseChild: Int32Array.from(nodes, (node) => node.no),
    missingTrue: Int32Array.from(nodes, (node) => node.missing),
    roots: Int32Array.from(roots),
    leafStart: Int32Array.from([0, ...nodes.map((node) => (start += node.mode === LEAF ? 1 : 0))]),
    leafTarget: new Int32Array(leaves.length),
    leafWeight: Float32Array.from(leaves, (node) => node.weight),
    base: Float32Array.of(0),
  };
}

const below = (feature: number, threshold: number, yes: Tree, no: Tree, missing = 0): Tree => ({
  feature,
  mode: 0,
  threshold,
  missing,
  yes,
  no,
});

/**
 * A forest of three trees. The operator numbers branches and leaves separately. The first tree
 * consists of branch 0, leaf 0, branch 1, leaf 1 and leaf 2. The second tree is leaf 3. The third
 * tree consists of branch 2, leaf 4 and leaf 5.
 */
const three = plant([below(0, 1, 0.5, below(1, 2, 1.5, 2.5, 1)), 7, below(1, 0, -1, -2)]);
const rows = [
  [0, 0],
  [2, 2],
  [2, 3],
  [nan, nan],
];

const tree = (features: number): fc.Arbitrary<Tree> =>
  fc.letrec<{ tree: Tree; branch: Tree }>((tie) => ({
    tree: fc.oneof({ maxDepth: 5, depthIdentifier: 'tree' }, fc.integer({ min: -9, max: 9 }), tie('branch')),
    branch: fc.record({
      feature: fc.nat(features - 1),
      mode: fc.nat(5),
      threshold: anyFloat,
      missing: fc.nat(1),
      yes: tie('tree'),
      no: tie('tree'),
    }),
  })).tree;

export const cases: OperatorCases = {
  operators: ['tree-featurize'],
  named: [
    denseCase(
      'values of the leaves',
      rows,
      (x) => x.treeFeaturize(three, 'values'),
      [
        [0.5, 7, -1],
        [1.5, 7, -2],
        [2.5, 7, -2],
        [1.5, 7, -2],
      ],
      { engine: 'native' },
    ),
    denseCase(
      'the leaves',
      rows,
      (x) => x.treeFeaturize(three, 'leaves'),
      [
        [1, 0, 0, 1, 1, 0],
        [0, 1, 0, 1, 0, 1],
        [0, 0, 1, 1, 0, 1],
        [0, 1, 0, 1, 0, 1],
      ],
      { engine: 'native' },
    ),
    denseCase(
      'the nodes on the way',
      rows,
      (x) => x.treeFeaturize(three, 'paths'),
      [
        [1, 0, 1],
        [1, 1, 1],
        [1, 1, 1],
        [1, 1, 1],
      ],
      { engine: 'native' },
    ),
    denseCase(
      'a model above',
      rows,
      (x) => x.treeFeaturize(three, 'leaves').linear({ weights: [1, 2, 4, 8, 16, 32] }),
      [[25], [42], [44], [42]],
    ),
  ],
  random: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(...outputs)).chain(([features, output]) =>
    fc
      .tuple(rowsOf(anyFloat, features, 9), fc.array(tree(features), { minLength: 1, maxLength: 5 }))
      .map(([list, trees]) => {
        const forest = plant([below(0, 0, 1, 2), ...trees]); // ensures at least one path
        return denseCase(`tree-featurize ${output} ${JSON.stringify(trees)}`, list, (x) =>
          x.treeFeaturize(forest, output),
        );
      }),
  ),
};
