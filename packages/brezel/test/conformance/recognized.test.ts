import type { NumericTensor } from '@brezel/flour';
import { DataType, makeGraph, makeModel, tensorInput, writeModel } from '@brezel/onnx';
import { createFlour, createRuntime, importOnnx, importTensors, type Program } from 'brezel';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { listOf, rowsOf, tameFloat } from '../../../flour/src/case.js';
import { expectAsOnnxruntime, ort } from './against-onnxruntime.js';
import { difference, Engines } from './engines.js';
import {
  bernoulliNaiveBayes,
  gaussianMixture,
  gaussianNaiveBayes,
  type IsolationTree,
  isolationForest,
  multinomialNaiveBayes,
  nearestNeighbors,
  polynomial,
  type Written,
} from './recognized-graphs.js';
import { seed } from './seed.js';

// Graphs that exporters wrote for one operator become that operator, with the answers of their nodes: as a tensor program runs them one by one, and
// as onnxruntime does. What differs from the pattern stays what it is.

/** Random graphs of a kind; of those that stay nodes half as many. */
const RUNS = Number(process.env.BREZEL_RECOGNIZED_RUNS ?? 4);

const flour = await createFlour();
const engines = new Engines(flour.store);
const runtime = createRuntime({ store: flour.store });
afterAll(() => runtime.close());

type Rows = readonly (readonly number[])[];
/** A graph, the operator that it becomes, rows, and how far answers may be from those of the nodes: nothing where they keep their bits. */
interface Recognized {
  readonly graph: Written;
  readonly rows: Rows;
  readonly operator: string;
  readonly tolerance?: readonly [relative: number, absolute: number];
}

function fileOf({ nodes, initializers, outputs, columns }: Written): Uint8Array {
  const graph = makeGraph({
    node: [...nodes],
    initializer: [...initializers],
    input: [tensorInput('x', DataType.FLOAT, ['N', columns])],
    output: Object.keys(outputs).map((name) => tensorInput(name, DataType.FLOAT, [])),
  });
  for (const output of graph.output) Object.assign(output.type!.tensorType!, { shape: undefined });
  return writeModel(makeModel(graph, { '': 17, 'ai.onnx.ml': 3 }));
}

function operatorsOf(program: Program): string[] {
  const seen = new Set<Program['outputs'][number]['node']>();
  const visit = (node: Program['outputs'][number]['node']): void => {
    if (seen.has(node)) return;
    seen.add(node);
    node.inputs.forEach(visit);
  };
  for (const { node } of program.outputs) visit(node);
  return [...seen].flatMap(({ operator }) => (operator === undefined ? [] : [operator.name]));
}

/** Answers of the nodes of the graph, one by one over all rows. */
async function asTensors(bytes: Uint8Array, rows: Rows): Promise<Record<string, number[]>> {
  const registered = runtime.registerTensors(importTensors(bytes, { flour }).program);
  const x = {
    element: 'float32',
    shape: [rows.length, rows[0]!.length],
    data: Float32Array.from(rows.flat()),
  } as const;
  const answers = await runtime.predictTensors(registered, { x });
  runtime.unregister(registered);
  return Object.fromEntries(
    Object.entries(answers).map(([name, value]) => [name, Array.from((value as NumericTensor).data, Number)]),
  );
}

const near = (got: number, want: number, [relative, absolute]: readonly [number, number]) =>
  Object.is(got, want) || got === want || Math.abs(got - want) <= absolute + relative * Math.abs(want);

/** Every engine gives what the nodes give. */
async function expectAnswers(program: Program, { graph, rows, tolerance = [0, 0] }: Omit<Recognized, 'operator'>) {
  const plan = program.plan();
  const { answers } = await engines.answers(
    plan,
    rows.map((x) => ({ x })),
  );
  plan.release();
  const reference = answers.get('reference')!;
  for (const [engine, got] of answers) expect(difference(got, reference), engine).toBeUndefined();
  const wanted = await asTensors(fileOf(graph), rows);
  for (const [name, want] of Object.entries(wanted)) {
    const got = reference.flatMap((row) => [row[name]].flat()).map(Number);
    expect(got.length, name).toBe(want.length);
    const wrong = got.findIndex((value, at) => !near(value, want[at]!, tolerance));
    expect(wrong < 0 ? '' : `${name}[${wrong}]: ${got[wrong]} for ${want[wrong]}`).toBe('');
  }
}

async function expectRecognized(one: Recognized): Promise<void> {
  const { program } = importOnnx(fileOf(one.graph), flour);
  expect(operatorsOf(program)).toContain(one.operator);
  await expectAnswers(program, one);
  if (ort === undefined) return;
  const { nodes, initializers, outputs } = one.graph;
  const tolerance = [1e-4, 1e-5] as const;
  await expectAsOnnxruntime({
    inputs: { x: { type: 'float32', rows: one.rows } },
    nodes,
    initializers,
    outputs,
    tolerance,
  });
}

/** The nodes stay nodes, and answer as before. */
async function expectPlain(one: Recognized): Promise<void> {
  const { program } = importOnnx(fileOf(one.graph), flour);
  expect(operatorsOf(program)).not.toContain(one.operator);
  await expectAnswers(program, one);
}

const check = (arbitrary: fc.Arbitrary<Recognized>, property: (one: Recognized) => Promise<void>, numRuns = RUNS) =>
  fc.assert(fc.asyncProperty(arbitrary, property), { seed, numRuns });

/** All products of columns of these degrees, in scikit-learn's order. */
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

  test('to another base stay arithmetic', () => check(forests('another base'), expectPlain, RUNS / 2));

  test.each(['two trees in one', 'a row beside the leaf'] as const)('with %s stay nodes', (change) =>
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
  const grid = fc.integer({ min: -9, max: 9 }).map((value) => Math.fround(value / 10)); // many near ties
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
  test('of which the mean is taken are one operator', () => check(neighbors({}), expectRecognized, 2 * RUNS));

  test.each<[string, Partial<Options>]>([
    ['the farthest', { classes, change: 'the farthest' }],
    ['a class twice', { classes, change: 'a class twice' }],
    ['a class without votes', { classes: [7, -1], change: 'the farthest' }],
    ['squares of distances', { metric: 'euclidean', change: 'no root' }],
  ])('%s stay nodes', (_, more) => check(neighbors(more), expectPlain, RUNS / 2));
});

describe('naive Bayes and mixtures', () => {
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

  // Labels may differ where two classes are as likely to the last bit: probabilities are compared, and labels are theirs.
  const withoutTies = (property: (one: Recognized) => Promise<void>) => async (given: Recognized) => {
    const { probabilities = [] } = await asTensors(fileOf(given.graph), given.rows);
    const classes = probabilities.length / given.rows.length;
    const isClear = given.rows.every((_, row) => {
      const [first, second] = probabilities.slice(row * classes, (row + 1) * classes).sort((a, b) => b - a);
      return first === undefined || first - second! > 1e-4;
    });
    fc.pre(isClear);
    await property(given);
  };

  test('Gaussian is one operator', () =>
    check(bayes(gaussianNaiveBayes, 'gaussian-mixture', [positive, whole]), withoutTies(expectRecognized)));
  test('Bernoulli is one operator', () =>
    check(bayes(bernoulliNaiveBayes, 'naive-bayes', [small, one]), withoutTies(expectRecognized)));
  test.each<['a cube' | 'another half']>([['a cube'], ['another half']])('Gaussian with %s stays nodes', (change) =>
    check(bayes(gaussianNaiveBayes, 'gaussian-mixture', [positive, whole], change), withoutTies(expectPlain), RUNS / 2),
  );
  test('a product of bits alone stays nodes', () =>
    check(bayes(bernoulliNaiveBayes, 'naive-bayes', [small, one], 'no posterior'), withoutTies(expectPlain), RUNS / 2));

  test('multinomial is a linear model with its priors, bit for bit', () =>
    check(bayes(multinomialNaiveBayes, 'linear', [small, one]), async (given) => {
      const { program } = importOnnx(fileOf(given.graph), flour);
      const operators = operatorsOf(program);
      expect(operators.filter((name) => name === 'linear')).toHaveLength(1);
      expect(operators.filter((name) => name === 'arithmetic')).toHaveLength(1); // what normalizes
      await expectAnswers(program, { graph: given.graph, rows: given.rows });
    }));

  test('a mixture with full covariances is one operator', () =>
    check(
      fc
        .record({ columns: fc.integer({ min: 1, max: 4 }), count: fc.integer({ min: 2, max: 3 }) })
        .chain(({ columns, count }) =>
          fc
            .record({
              rows: rowsOf(small, columns),
              entries: listOf(positive, columns * columns * count),
              offsets: listOf(small, columns * count),
              weights: listOf(small, count),
            })
            .map(({ rows, entries, offsets, weights }): Recognized => {
              const part = (list: readonly number[], size: number, at: number) =>
                list.slice(at * size, (at + 1) * size);
              const upper = (value: number, at: number) => (Math.floor(at / columns) > at % columns ? 0 : value);
              const factors = weights.map((_, at) => part(entries, columns * columns, at).map(upper));
              const each = weights.map((_, at) => part(offsets, columns, at));
              const graph = gaussianMixture({ columns, factors, offsets: each, weights });
              return { graph, rows, operator: 'gaussian-mixture', tolerance: [1e-4, 1e-6] };
            }),
        ),
      withoutTies(expectRecognized),
    ));
});
