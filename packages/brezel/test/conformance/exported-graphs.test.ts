import { type AttributeValue, DataType, makeNode, makeTensor } from '@brezel/onnx';
import fc from 'fast-check';
import { describe, test } from 'vitest';
import { type Comparison, type ElementType, expectAsOnnxruntime, mlNode, ort } from './against-onnxruntime.js';
import { seed } from './seed.js';

// The smallest forms of graphs that skl2onnx writes. An earlier version of Brezel rejected each of
// these files, or gave wrong answers, or imported a tensor program. All are row programs.

const RUNS = Number(process.env.BREZEL_ORT_RUNS ?? 10);
const eighth = fc.integer({ min: -24, max: 24 }).map((value) => value / 8);
const listOf = <T>(element: fc.Arbitrary<T>, length: number) =>
  fc.array(element, { minLength: length, maxLength: length });
const rowsOf = <T>(element: fc.Arbitrary<T>, columns: number) =>
  fc.array(listOf(element, columns), { minLength: 1, maxLength: 5 });

const check = (cases: fc.Arbitrary<Comparison>) =>
  fc.assert(fc.asyncProperty(cases, expectAsOnnxruntime), { numRuns: RUNS, seed });

/**
 * Returns a tree with one branch and two leaves. `weights` are the weights of the leaves, in the
 * order of the file.
 */
function stump(weights: readonly (readonly number[])[], targets: number): Readonly<Record<string, AttributeValue>> {
  const leaves = weights.flatMap((list, leaf) => list.map((weight, at) => ({ node: leaf + 1, weight, at })));
  return {
    n_targets: { i: targets },
    nodes_treeids: { ints: [0, 0, 0] },
    nodes_nodeids: { ints: [0, 1, 2] },
    nodes_featureids: { ints: [0, 0, 0] },
    nodes_modes: { strings: ['BRANCH_LEQ', 'LEAF', 'LEAF'] },
    nodes_values: { floats: [0, 0, 0] },
    nodes_truenodeids: { ints: [1, 0, 0] },
    nodes_falsenodeids: { ints: [2, 0, 0] },
    target_treeids: { ints: leaves.map(() => 0) },
    target_nodeids: { ints: leaves.map(({ node }) => node) },
    target_ids: { ints: leaves.map(({ at }) => at % targets) },
    target_weights: { floats: leaves.map(({ weight }) => weight) },
  };
}

describe.skipIf(ort === undefined)('graphs of exporters give the answers of onnxruntime', () => {
  test('the number of a leaf, once for every class: one target has one weight, several are summed', () =>
    check(
      fc
        .record({
          rows: rowsOf(eighth, 2),
          weights: fc.tuple(fc.array(eighth, { minLength: 1, maxLength: 4 }), listOf(eighth, 4)),
          targets: fc.constantFrom(1, 2),
        })
        .map(({ rows, weights, targets }) => ({
          inputs: { x: { type: 'float32', rows } },
          nodes: [mlNode('TreeEnsembleRegressor', stump(weights, targets))],
          outputs: { y: 'float32' },
        })),
    ));

  test.each<[string, Readonly<Record<string, AttributeValue>>]>([
    ['words', { tokenexp: { s: '[a-z]+' }, mincharnum: { i: 1 } }],
    ['characters', { separators: { strings: [''] }, mincharnum: { i: 1 } }],
  ])('%s of a column of texts, without a StringNormalizer', (_, by) =>
    check(
      rowsOf(fc.constantFrom('a b', 'b', '', 'ab c a', 'ä a'), 1).map((rows) => ({
        inputs: { x: { type: 'string', rows: [...rows, ['a b']] } },
        nodes: [
          makeNode('Tokenizer', ['x'], ['t'], { mark: { i: 0 }, pad_value: { s: '#' }, ...by }, 'com.microsoft'),
          makeNode('Flatten', ['t'], ['f']),
          makeNode('TfIdfVectorizer', ['f'], ['y'], {
            max_gram_length: { i: 1 },
            max_skip_count: { i: 0 },
            min_gram_length: { i: 1 },
            mode: { s: 'TF' },
            ngram_counts: { ints: [0] },
            ngram_indexes: { ints: [0, 1, 2] },
            pool_strings: { strings: ['a', 'b', 'ab'] },
          }),
        ],
        outputs: { y: 'float32' },
      })),
    ),
  );

  test('the least int64 for what is missing', () =>
    check(
      fc
        .record({
          rows: rowsOf(fc.constantFrom(0, 1, -3), 2),
          missing: fc.constantFrom(-(2 ** 63), 2 ** 60, 1),
        })
        .map(({ rows, missing }) => ({
          inputs: { x: { type: 'int64', rows } },
          nodes: [mlNode('Imputer', { imputed_value_int64s: { ints: [7] }, replaced_value_int64: { i: missing } })],
          outputs: { y: 'int64' },
        })),
    ));

  test.each<[ElementType, 'euclidean' | 'sqeuclidean']>([
    ['float32', 'euclidean'],
    ['float32', 'sqeuclidean'],
    ['float64', 'euclidean'],
    ['float64', 'sqeuclidean'],
  ])('distances to constant points in %s, %s', (type, metric) =>
    check(
      fc.integer({ min: 1, max: 4 }).chain((size) =>
        fc
          .record({
            rows: rowsOf(eighth, size),
            points: fc.array(listOf(eighth, size), { minLength: 1, maxLength: 5 }),
          })
          .map(({ rows, points }) => ({
            inputs: { x: { type, rows } },
            nodes: [makeNode('CDist', ['x', 'p'], ['y'], { metric: { s: metric } }, 'com.microsoft')],
            initializers: [
              type === 'float32'
                ? makeTensor('p', 'float32', [points.length, size], Float32Array.from(points.flat()))
                : makeTensor('p', 'float64', [points.length, size], Float64Array.from(points.flat())),
            ],
            outputs: { y: type },
            // onnxruntime computes a distance from products, which lose digits if points are near.
            tolerance: [1e-4, 3e-3],
          })),
      ),
    ),
  );

  test('integers between two floats are rounded once', () =>
    check(
      rowsOf(fc.integer({ min: -9, max: 9 }), 2).map((rows) => ({
        inputs: { x: { type: 'int64', rows } },
        nodes: [makeNode('Add', ['x', 'c'], ['s']), makeNode('Cast', ['s'], ['y'], { to: { i: DataType.FLOAT } })],
        // A number just above the middle between two float32 numbers. Its float64 form is the
        // middle, which rounds to the even float32.
        initializers: [
          makeTensor('c', 'int64', [2], BigInt64Array.of(2n ** 60n + 2n ** 36n + 1n, -(2n ** 62n) - 2n ** 38n)),
        ],
        outputs: { y: 'float32' },
        tolerance: [0, 0],
      })),
    ));

  test.each<['int64' | 'int32', readonly number[]]>([
    ['int64', []],
    ['int64', [1]],
    ['int32', [1, 1]],
  ])('votes for a class, and what is no such vote: %s, a constant of shape %j', (type, shape) =>
    check(
      rowsOf(fc.integer({ min: -2, max: 2 }), 3).map((rows) => ({
        inputs: { x: { type, rows } },
        nodes: [
          makeNode('Equal', ['x', 'c'], ['e']),
          makeNode('Not', ['e'], ['n']),
          makeNode('Cast', ['e'], ['y'], { to: { i: DataType.FLOAT } }),
          makeNode('Cast', ['n'], ['z'], { to: { i: DataType.FLOAT } }),
        ],
        initializers: [
          type === 'int64'
            ? makeTensor('c', 'int64', shape, BigInt64Array.of(1n))
            : makeTensor('c', 'int32', shape, Int32Array.of(1)),
        ],
        outputs: { y: 'float32', z: 'float32' },
      })),
    ),
  );

  // Exporters write such tensors for trees and neighbors with several outputs. The tensor has three
  // axes, and the second or the first axis holds the rows.
  test.each([[[0, 1, 2]], [[1, 0, 2]]])('columns of tensors of three axes, permuted to %j', (perm) =>
    check(
      rowsOf(eighth, 6).map((rows) => ({
        inputs: { x: { type: 'float32', rows } },
        nodes: [
          makeNode('Reshape', ['x', 's'], ['t']),
          makeNode('Transpose', ['t'], ['u'], { perm: { ints: perm } }),
          mlNode('ArrayFeatureExtractor', {}, ['a'], ['u', 'i']),
          makeNode('Transpose', ['a'], ['y'], { perm: { ints: perm } }),
        ],
        initializers: [
          makeTensor('s', 'int64', [3], BigInt64Array.of(-1n, 2n, 3n)),
          makeTensor('i', 'int64', [2], BigInt64Array.of(2n, 0n)),
        ],
        outputs: { y: 'float32' },
      })),
    ),
  );
});
