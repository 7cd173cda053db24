import { importOnnx } from 'brezel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listOf, rowsOf, tameFloat } from '../../../flour/src/case.js';
import {
  check,
  expectAnswers,
  expectPlain,
  expectRecognized,
  fileOf,
  flour,
  operatorsOf,
  type Recognized,
  RUNS,
  withoutTies,
} from './check-recognized.js';
import {
  bernoulliNaiveBayes,
  gaussianNaiveBayes,
  type IsolationTree,
  isolationForest,
  multinomialNaiveBayes,
  nearestNeighbors,
  polynomial,
  type Written,
} from './recognized-graphs.js';

// A graph that an exporter wrote for one operator becomes that operator. Its answers equal those of
// its nodes, as run by a tensor program and by onnxruntime. A graph that differs from the pattern
// stays a graph of nodes.

/** Returns all products of columns of these degrees, in scikit-learn's order. */
function termsOf(columns: number, [least, most]: readonly [number, number], distinct: boolean): number[][] {
  const longer = (terms: number[][]): number[][] =>
    terms.flatMap((term) =>
      Array.from({ length: columns }, (_, column) => column)
        .filter((column) => (distinct ? column > term.at(-1)! : column >= term.at(-1)!))
        .map((column) => [...term, column]),
    );
  let terms = Array.from({ length: columns }, (_, column) => [column]);
  const all: number[][] = [];
  for (let degree = 1; degree <= most; degree++, terms = longer(terms)) if (degree >= least) all.push(...terms);
  return all;
}

describe('polynomial features', () => {
  const polynomials = (change: (terms: number[][]) => readonly (readonly number[])[] = (terms) => terms) =>
    fc
      .record({
        columns: fc.integer({ min: 4, max: 5 }),
        least: fc.integer({ min: 1, max: 2 }),
        most: fc.integer({ min: 2, max: 3 }),
      })
      .chain(({ columns, least, most }) =>
        fc.tuple(rowsOf(tameFloat, columns), fc.boolean(), fc.boolean()).map(
          ([rows, distinct, bias]): Recognized => ({
            graph: polynomial(columns, change(termsOf(columns, [Math.min(least, most), most], distinct)), bias),
            rows,
            operator: 'polynomial-features',
          }),
        ),
      );

  test('are one operator', () => check(polynomials(), expectRecognized));

  test.each<[string, (terms: number[][]) => readonly (readonly number[])[]]>([
    ['in another order', (terms) => terms.toReversed()],
    ['with a term less', (terms) => terms.toSpliced(1, 1)],
    ['with another order of factors', (terms) => terms.map((term) => term.toReversed())],
    ['with a term twice', (terms) => [...terms, terms.at(-1)!]],
    ['of degree 1', (terms) => terms.filter(({ length }) => length === 1).concat([[0]])],
  ])('%s stay products', (_, change) => check(polynomials(change), expectPlain, RUNS / 2));
});

const isolationTree = (columns: number): fc.Arbitrary<IsolationTree> =>
  fc.letrec<{ tree: IsolationTree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3, depthIdentifier: `isolation ${columns}` },
      fc.record({ samples: fc.integer({ min: 1, max: 40 }) }),
      fc.record({ feature: fc.nat(columns - 1), limit: tameFloat, yes: tie('tree'), no: tie('tree') }),
    ),
  })).tree;

describe('isolation forests', () => {
  const forests = (change?: Parameters<typeof isolationForest>[0]['change']) =>
    fc.integer({ min: 1, max: 4 }).chain((columns) =>
      fc.tuple(rowsOf(tameFloat, columns), fc.array(isolationTree(columns), { minLength: 2, maxLength: 5 })).map(
        ([rows, trees]): Recognized => ({
          graph: isolationForest({ trees, columns, expected: 5 * trees.length, ...(change && { change }) }),
          rows,
          operator: change === 'another base' ? 'isolation-score' : 'tree-ensemble',
          tolerance: [0, 2e-7],
        }),
      ),
    );

  test('are one forest and one score', () =>
    check(forests(), async (one) => {
      await expectRecognized(one);
      const { program } = importOnnx(fileOf(one.graph), flour);
      const operators = operatorsOf(program);
      expect(operators.filter((name) => name === 'tree-ensemble')).toHaveLength(1);
      expect(operators).toContain('isolation-score');
      expect(operators).not.toContain('arithmetic');
    }));

  test('with another base are not recognized', () => check(forests('another base'), expectPlain, RUNS / 2));

  test.each(['two trees in one', 'a row beside the leaf'] as const)('with %s are not recognized', (change) =>
    check(
      forests(change),
      async (one) => {
        const { program } = importOnnx(fileOf(one.graph), flour);
        expect(operatorsOf(program)).not.toContain('isolation-score');
        await expectAnswers(program, one);
      },
      RUNS / 2,
    ),
  );
});

describe('nearest neighbours', () => {
  // A coarse grid produces many near ties.
  const grid = fc.integer({ min: -9, max: 9 }).map((value) => Math.fround(value / 10));
  type Options = Parameters<typeof nearestNeighbors>[0];
  const neighbors = (more: Partial<Options>) =>
    fc
      .record({ columns: fc.integer({ min: 1, max: 4 }), count: fc.integer({ min: 5, max: 30 }) })
      .chain(({ columns, count }) =>
        fc
          .tuple(
            rowsOf(grid, columns),
            listOf(grid, count * columns),
            listOf(fc.constantFrom(7, -1, 3), count),
            fc.integer({ min: 1, max: 5 }),
            fc.constantFrom<Options['metric']>('euclidean', 'manhattan'),
          )
          .map(
            ([rows, points, targets, neighbors, metric]): Recognized => ({
              graph: nearestNeighbors({ columns, points, targets, neighbors, metric, ...more }),
              rows,
              operator: 'k-nearest-neighbors',
            }),
          ),
      );
  const classes = [7, -1, 3];

  test('that vote are one operator', () => check(neighbors({ classes }), expectRecognized, 2 * RUNS));
  test('that compute a mean are one operator', () => check(neighbors({}), expectRecognized, 2 * RUNS));

  test.each<[string, Partial<Options>]>([
    ['the farthest', { classes, change: 'the farthest' }],
    ['a class twice', { classes, change: 'a class twice' }],
    ['a class without votes', { classes: [7, -1], change: 'the farthest' }],
    ['squares of distances', { metric: 'euclidean', change: 'no root' }],
  ])('%s stay nodes', (_, more) => check(neighbors(more), expectPlain, RUNS / 2));
});

describe('naive Bayes', () => {
  const positive = fc.float({ min: Math.fround(0.25), max: 4, noNaN: true });
  const small = fc.float({ min: -4, max: 4, noNaN: true });
  type Options = Parameters<typeof gaussianNaiveBayes>[0];
  const bayes = (
    write: (options: Options) => Written,
    operator: string,
    [second, count]: readonly [fc.Arbitrary<number>, (columns: number, classes: number) => number],
    change?: Options['change'],
  ) =>
    fc
      .record({ columns: fc.integer({ min: 1, max: 6 }), classes: fc.integer({ min: 2, max: 4 }) })
      .chain(({ columns, classes }) =>
        fc
          .record({
            rows: rowsOf(small, columns),
            first: listOf(small, columns * classes),
            second: listOf(second, count(columns, classes)),
            prior: listOf(small, classes),
          })
          .map(
            ({ rows, ...numbers }): Recognized => ({
              graph: write({ columns, classes, ...numbers, ...(change && { change }) }),
              rows,
              operator,
              tolerance: [1e-4, 1e-6],
            }),
          ),
      );
  const whole = (columns: number, classes: number) => columns * classes;
  const one = (_: number, classes: number) => classes;

  test('Gaussian is one operator', () =>
    check(bayes(gaussianNaiveBayes, 'gaussian-mixture', [positive, whole]), withoutTies(expectRecognized)));
  test('Bernoulli is one operator', () =>
    check(bayes(bernoulliNaiveBayes, 'naive-bayes', [small, one]), withoutTies(expectRecognized)));
  test.each<['a cube' | 'another half']>([['a cube'], ['another half']])('Gaussian with %s stays nodes', (change) =>
    check(bayes(gaussianNaiveBayes, 'gaussian-mixture', [positive, whole], change), withoutTies(expectPlain), RUNS / 2),
  );
  test('a product of bits alone is not recognized', () =>
    check(bayes(bernoulliNaiveBayes, 'naive-bayes', [small, one], 'no posterior'), withoutTies(expectPlain), RUNS / 2));

  test('multinomial is a linear model with its priors, bit for bit', () =>
    check(bayes(multinomialNaiveBayes, 'linear', [small, one]), async (given) => {
      const { program } = importOnnx(fileOf(given.graph), flour);
      const operators = operatorsOf(program);
      expect(operators.filter((name) => name === 'linear')).toHaveLength(1);
      // One arithmetic node normalizes the probabilities.
      expect(operators.filter((name) => name === 'arithmetic')).toHaveLength(1);
      await expectAnswers(program, { graph: given.graph, rows: given.rows });
    }));
});
