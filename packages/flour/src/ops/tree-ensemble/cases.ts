import type { Forest } from '@brezel/flour';
import fc from 'fast-check';
import { anyFloat, denseCase, listOf, type OperatorCases, rowsOf, shown } from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const LEAF = 6;

/** A tree as the test cases write it. A leaf is a list of (target, weight) pairs. */
type Tree =
  | { readonly leaf: readonly (readonly [target: number, weight: number])[] }
  | {
      readonly feature: number;
      readonly mode: number;
      readonly threshold: number;
      readonly missingTrue?: number;
      readonly yes: Tree;
      readonly no: Tree;
    };

function plant(trees: readonly Tree[], base: readonly number[]): Forest {
  const nodes: {
    feature: number;
    threshold: number;
    mode: number;
    missingTrue: number;
    yes: number;
    no: number;
    leaf: readonly (readonly [number, number])[];
  }[] = [];
  const grow = (tree: Tree): number => {
    const at = nodes.length;
    if ('leaf' in tree)
      return nodes.push({ feature: 0, threshold: 0, mode: LEAF, missingTrue: 0, yes: 0, no: 0, leaf: tree.leaf }) - 1;
    nodes.push({
      feature: tree.feature,
      threshold: tree.threshold,
      mode: tree.mode,
      missingTrue: tree.missingTrue ?? 0,
      yes: 0,
      no: 0,
      leaf: [],
    });
    nodes[at]!.yes = grow(tree.yes);
    nodes[at]!.no = grow(tree.no);
    return at;
  };
  const roots = trees.map(grow);
  const leaves = nodes.flatMap((node) => node.leaf);
  let start = 0;
  return {
    feature: Int32Array.from(nodes, (node) => node.feature),
    threshold: Float32Array.from(nodes, (node) => node.threshold),
    mode: Int32Array.from(nodes, (node) => node.mode),
    trueChild: Int32Array.from(nodes, (node) => node.yes),
    falseChild: Int32Array.from(nodes, (node) => node.no),
    missingTrue: Int32Array.from(nodes, (node) => node.missingTrue),
    roots: Int32Array.from(roots),
    leafStart: Int32Array.from([0, ...nodes.map((node) => (start += node.leaf.length))]),
    leafTarget: Int32Array.from(leaves, ([target]) => target),
    leafWeight: Float32Array.from(leaves, ([, weight]) => weight),
    base: Float32Array.from(base),
  };
}

const stump = (mode: number, threshold: number, missingTrue = 0): Tree => ({
  feature: 0,
  mode,
  threshold,
  missingTrue,
  yes: { leaf: [[0, 1]] },
  no: { leaf: [[0, -1]] },
});

/**
 * Random trees. With `isPlain`, trees contain only the comparisons <=, <, >= and >, and one weight
 * per leaf, so that packed kernels can run them.
 */
const tree = (features: number, targets: number, isPlain: boolean): fc.Arbitrary<Tree> =>
  fc.letrec<{ tree: Tree; leaf: Tree; branch: Tree }>((tie) => ({
    tree: fc.oneof({ maxDepth: 5, depthIdentifier: 'tree' }, tie('leaf'), tie('branch')),
    leaf: isPlain
      ? fc.record({ leaf: fc.tuple(fc.tuple(fc.constant(targets - 1), anyFloat)) })
      : fc.record({ leaf: fc.array(fc.tuple(fc.nat(targets - 1), anyFloat), { maxLength: 3 }) }),
    branch: fc.record({
      feature: fc.nat(features - 1),
      mode: fc.nat(isPlain ? 3 : 5),
      threshold: anyFloat,
      missingTrue: fc.nat(1),
      yes: tie('tree'),
      no: tie('tree'),
    }),
  })).tree;

export const cases: OperatorCases = {
  operators: ['tree-ensemble'],
  named: [
    denseCase('one leaf', [[9]], (x) => x.treeEnsemble(plant([{ leaf: [[0, 3]] }], [0.5])), [[3.5]], {
      engine: 'native',
    }),
    ...(['LEQ', 'LT', 'GTE', 'GT', 'EQ', 'NEQ'] as const).map((name, mode) => {
      const answers = {
        LEQ: [1, 1, -1],
        LT: [1, -1, -1],
        GTE: [-1, 1, 1],
        GT: [-1, -1, 1],
        EQ: [-1, 1, -1],
        NEQ: [1, -1, 1],
      }[name];
      return denseCase(
        name,
        [[1], [2], [3], [nan]],
        (x) => x.treeEnsemble(plant([stump(mode, 2)], [0])),
        [...answers, -1].map((y) => [y]),
      );
    }),
    denseCase('NaN the other way', [[nan], [5]], (x) => x.treeEnsemble(plant([stump(0, 2, 1)], [0])), [[1], [-1]]),
    denseCase('a NaN threshold', [[1]], (x) => x.treeEnsemble(plant([stump(0, nan), stump(5, nan)], [0])), [[0]]),
    denseCase(
      'trees in order, base last',
      [[0]],
      (x) => x.treeEnsemble(plant([{ leaf: [[0, 16777216]] }, { leaf: [[0, 1]] }, { leaf: [[0, 1]] }], [1])),
      [[16777216]],
    ),
    denseCase(
      'several targets',
      [
        [1, 0],
        [0, 1],
      ],
      (x) =>
        x.treeEnsemble(
          plant(
            [
              {
                feature: 1,
                mode: 3,
                threshold: 0.5,
                yes: {
                  leaf: [
                    [0, 1],
                    [2, 2],
                    [0, 3],
                  ],
                },
                no: { leaf: [] },
              },
            ],
            [0, -0, 0.5],
          ),
        ),
      [
        [0, 0, 0.5],
        [4, 0, 2.5],
      ],
    ),
    denseCase(
      'infinite thresholds',
      [[inf], [-inf], [3e38]],
      (x) => x.treeEnsemble(plant([stump(0, inf), stump(2, -inf)], [0])),
      [[2], [2], [2]],
    ),
    denseCase('one target under softmax', [[1]], (x) => x.treeEnsemble(plant([stump(0, 1)], [0])).softmax(), [[1]]),
    denseCase(
      'covers change no answer',
      [[1], [3]],
      (x) => x.treeEnsemble({ ...plant([stump(0, 2)], [0]), cover: Float32Array.of(4, 3, 1) }),
      [[1], [-1]],
      { engine: 'native' },
    ),
    denseCase('no trees', [[1]], (x) => x.treeEnsemble(plant([], [7])), [[7]]),
  ],
  random: fc
    .tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom(1, 2, 3, 5, 9), fc.boolean())
    .chain(([features, targets, isPlain]) =>
      fc
        .tuple(
          fc.array(tree(features, targets, isPlain), { maxLength: 9 }),
          listOf(anyFloat, targets),
          rowsOf(anyFloat, features, 20),
        )
        .map(([trees, base, rows]) =>
          denseCase(`forest ${shown({ trees, base })}`, rows, (x) => x.treeEnsemble(plant(trees, base)), undefined, {
            engine: 'native',
          }),
        ),
    ),
};
