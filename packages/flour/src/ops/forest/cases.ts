import type { GeneralForest } from '@brezel/flour';
import fc from 'fast-check';
import { anyElement, anyFloat, listOf, type OperatorCases, rowsOf, shown, typedCase } from '../../case.js';

const { NaN: nan } = Number;
const LEAF = 6;
const MEMBER = 7;
const aggregates = ['sum', 'average', 'min', 'max'] as const;

/**
 * A tree node as the test cases write it. `forestOf` converts a list of nodes to the arrays of a
 * forest. Children are indices of later nodes, and several nodes may share a child.
 */
interface Node {
  readonly mode: number;
  readonly feature?: number;
  readonly threshold?: number;
  readonly missingTrue?: number;
  readonly yes?: number;
  readonly no?: number;
  readonly members?: readonly number[];
  readonly leaf?: readonly (readonly [target: number, weight: number])[];
}

function forestOf(nodes: readonly Node[], roots: readonly number[], base: readonly number[]): GeneralForest {
  const starts = (list: readonly (readonly unknown[])[]) => {
    let start = 0;
    return Int32Array.from([0, ...list.map((one) => (start += one.length))]);
  };
  const leaves = nodes.map(({ leaf = [] }) => leaf);
  const members = nodes.map(({ members: list = [] }) => list);
  const of = (name: 'feature' | 'mode' | 'missingTrue' | 'yes' | 'no') =>
    Int32Array.from(nodes, (node) => node[name] ?? 0);
  return {
    feature: of('feature'),
    threshold: Float64Array.from(nodes, ({ threshold = 0 }) => threshold),
    mode: of('mode'),
    trueChild: of('yes'),
    falseChild: of('no'),
    missingTrue: of('missingTrue'),
    roots: Int32Array.from(roots),
    leafStart: starts(leaves),
    leafTarget: Int32Array.from(leaves.flat(), ([target]) => target),
    leafWeight: Float64Array.from(leaves.flat(), ([, weight]) => weight),
    base: Float64Array.from(base),
    memberStart: starts(members),
    members: Float64Array.from(members.flat()),
  };
}

/**
 * A forest of two trees with one branch each. The branch of the first tree compares a feature with
 * 1. The branch of the second tree tests whether the feature is in a set.
 */
const stumps = forestOf(
  [
    { mode: 0, threshold: 1, yes: 2, no: 3 },
    { mode: MEMBER, members: [2, 3], yes: 4, no: 5, missingTrue: 1 },
    { mode: LEAF, leaf: [[0, 1]] },
    { mode: LEAF, leaf: [[0, 5]] },
    { mode: LEAF, leaf: [[0, 2], [1, 7]] }, // biome-ignore format: pairs of one leaf
    { mode: LEAF, leaf: [[0, -4]] },
  ],
  [0, 1],
  [0, 0.5],
);

const answers = {
  sum: [[-3, 0.5], [7, 7.5], [7, 7.5]], // biome-ignore format: rows
  average: [[-1.5, 0.5], [3.5, 4], [3.5, 4]], // biome-ignore format: rows
  min: [[-4, 0.5], [2, 7.5], [2, 7.5]], // biome-ignore format: rows
  max: [[1, 0.5], [5, 7.5], [5, 7.5]], // biome-ignore format: rows
};

const randomForest = (features: number, targets: number): fc.Arbitrary<GeneralForest> =>
  fc.integer({ min: 1, max: 25 }).chain((count) => {
    // The last node is a leaf. Any other node branches to two later nodes.
    const node = (at: number): fc.Arbitrary<Node> => {
      const leaf = fc.record({
        mode: fc.constant(LEAF),
        leaf: fc.array(fc.tuple(fc.nat(targets - 1), anyElement.float64), { maxLength: 3 }),
      });
      if (at === count - 1) return leaf;
      const child = fc.integer({ min: at + 1, max: count - 1 });
      const branch = fc.record({
        mode: fc.constantFrom(0, 1, 2, 3, 4, 5, MEMBER),
        feature: fc.nat(features - 1),
        threshold: anyElement.float64,
        missingTrue: fc.nat(1),
        yes: child,
        no: child,
        members: fc.array(anyFloat, { maxLength: 3 }),
      });
      return fc.oneof({ weight: 2, arbitrary: branch as fc.Arbitrary<Node> }, { weight: 1, arbitrary: leaf });
    };
    return fc
      .tuple(
        fc.tuple(...Array.from({ length: count }, (_, at) => node(at))),
        fc.array(fc.nat(count - 1), { maxLength: 5 }),
        listOf(anyElement.float64, targets),
      )
      .map(([nodes, roots, base]) => forestOf(nodes, roots, base));
  });

export const cases: OperatorCases = {
  operators: ['forest'],
  named: [
    ...aggregates.map((aggregate) =>
      typedCase(aggregate, 'float32', [[0], [2], [nan]], (x) => x.forest(stumps, aggregate), answers[aggregate], {
        engine: 'native',
      }),
    ),
    typedCase(
      'float64 thresholds and weights',
      'float64',
      [[0.1], [0.1 + 2 ** -56]],
      (x) =>
        x.forest(
          forestOf(
            [
              { mode: 0, threshold: 0.1, yes: 1, no: 2 },
              { mode: LEAF, leaf: [[0, 0.3]] },
              { mode: LEAF, leaf: [[0, 0.7]] },
            ],
            [0, 0],
            [0.1],
          ),
        ),
      [[0.3 + 0.3 + 0.1], [0.7 + 0.7 + 0.1]],
      { engine: 'native' },
    ),
    typedCase(
      'a node with two parents',
      'float32',
      [[0], [5]],
      (x) =>
        x.forest(
          forestOf(
            [
              { mode: 0, threshold: 1, yes: 1, no: 1 },
              { mode: 0, threshold: 3, yes: 2, no: 3 },
              { mode: LEAF, leaf: [[0, 1]] },
              { mode: LEAF, leaf: [[0, 2]] },
            ],
            [0, 1],
            [0],
          ),
        ),
      [[2], [4]],
    ),
    typedCase(
      'covers change no answer',
      'float32',
      [[0], [5]],
      (x) => {
        const nodes = [
          { mode: 0, threshold: 1, yes: 1, no: 2 },
          { mode: LEAF, leaf: [[0, 1]] },
          { mode: LEAF, leaf: [[0, 2]] },
        ] as const;
        return x.forest({ ...forestOf(nodes, [0], [0]), cover: Float32Array.of(4, 3, 1) });
      },
      [[1], [2]],
      { engine: 'native' },
    ),
    typedCase('no trees', 'float32', [[1]], (x) => x.forest(forestOf([], [], [7]), 'max'), [[7]]),
  ],
  random: fc
    .tuple(
      fc.constantFrom('float32' as const, 'float64' as const),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom(1, 2, 5),
      fc.constantFrom(...aggregates),
    )
    .chain(([type, features, targets, aggregate]) =>
      fc
        .tuple(randomForest(features, targets), rowsOf(anyElement[type], features, 9))
        .map(([forest, rows]) =>
          typedCase(
            `${aggregate} of ${shown({ forest, rows })}`,
            type,
            rows,
            (x) => x.forest(forest, aggregate),
            undefined,
            { engine: 'native', absolute: Number.POSITIVE_INFINITY },
          ),
        ),
    ),
};
