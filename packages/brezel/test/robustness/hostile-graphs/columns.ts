import { makeStringTensor, makeTensor } from '@brezel/onnx';
import { file, floats, ml, node } from '../models.js';
import { type Case, i, int64, ints, REFUSED, vectorOf } from './case.js';

const slice =
  (start: number, end: number, step: number, axis = 1) =>
  () =>
    file([node('Slice', ['x', 's', 'e', 'a', 't'], ['y'])], floats(4), ['y'], {
      initializer: [int64('s', start), int64('e', end), int64('a', axis), int64('t', step)],
    });
const square =
  (size: number, nodes = 1) =>
  () =>
    file(
      [
        ...Array.from({ length: nodes }, (_, at) => node('Add', ['tall', 'wide'], [`c${at}`])),
        node('Neg', ['x'], ['y']),
      ],
      floats(2),
      ['y'],
      {
        initializer: [
          makeTensor('tall', 'float32', [size, 1], new Float32Array(size)),
          makeTensor('wide', 'float32', [1, size], new Float32Array(size)),
        ],
      },
    );
const castConstant = (value: number, to: number) => () =>
  file([node('Cast', ['c'], ['i'], { to: i(to) }), ml('ArrayFeatureExtractor', ['x', 'i'], ['y'])], floats(4), ['y'], {
    initializer: [makeTensor('c', 'float32', [1], Float32Array.of(value))],
  });
const extract =
  (...columns: number[]) =>
  () =>
    file([ml('ArrayFeatureExtractor', ['x', 'i'], ['y'])], floats(4), ['y'], {
      initializer: [int64('i', ...columns)],
    });
const byIndex = (table: ReturnType<typeof makeTensor>) => () =>
  file(
    [
      node('ArgMax', ['x'], ['best'], { axis: i(1), keepdims: i(0) }),
      ml('ArrayFeatureExtractor', ['table', 'best'], ['y']),
    ],
    floats(4),
    ['y'],
    { initializer: [table] },
  );

/** Files that select columns or compute constants. */
export const columns: readonly Case[] = [
  ['steps of 0', slice(3, 0, 0), REFUSED],
  ['steps of 0 on nothing', slice(0, 4, 0), REFUSED],
  ['everything backwards', slice(2 ** 40, -(2 ** 40), -1), 'works'],
  ['far steps', slice(0, 2 ** 52, 2 ** 52), 'works'],
  ['an empty slice', slice(3, 1, 1), REFUSED],
  ['rows', slice(0, 1, 1, 0), REFUSED],
  ['a slice without bounds', () => file([node('Slice', ['x'], ['y'])], floats(4), ['y']), REFUSED],
  ['a column beyond', extract(4), REFUSED],
  ['a column from the end', extract(-1), 'works'],
  ['a column before the first', extract(-5), REFUSED],
  ['columns of 2^52', extract(2 ** 52), REFUSED],
  ['no columns', extract(), REFUSED],
  [
    'columns of a constant, and the rows as a third input',
    () =>
      file([ml('ArrayFeatureExtractor', ['c', 'i', 'x'], ['y'])], floats(4), ['y'], {
        initializer: [makeTensor('c', 'float32', [4], new Float32Array(4)), int64('i', 1)],
      }),
    /works|ERR_/,
  ],
  ['a table of floats', byIndex(vectorOf('table', 4)), 'works'],
  ['a table of doubles', byIndex(makeTensor('table', 'float64', [4], Float64Array.of(0.1, 2, 3, 4))), 'works'],
  ['a table of booleans', byIndex(makeTensor('table', 'bool', [4], Uint8Array.of(1, 0, 1, 1))), 'works'],
  ['a table of int32', byIndex(makeTensor('table', 'int32', [4], Int32Array.of(1, 0, -1, 7))), 'works'],
  ['a table of text', byIndex(makeStringTensor('table', [4], ['a', '', 'b', 'b'])), 'works'],
  ['a table shorter than the scores', byIndex(makeTensor('table', 'int64', [1], BigInt64Array.of(5n))), 'works'],
  ['a table of nothing', byIndex(makeTensor('table', 'int64', [0], BigInt64Array.of())), REFUSED],
  ['constants of 300 x 300', square(300), 'works'],
  ['constants of 3000 x 3000', square(3000), REFUSED],
  ['constants of 100 000 x 100 000', square(100_000), REFUSED],
  ['constants of 1000 x 1000, 1000 times', square(1000, 1000), REFUSED],
  ['NaN as an index', castConstant(Number.NaN, 7), REFUSED],
  ['infinity as an index', castConstant(Number.POSITIVE_INFINITY, 7), REFUSED],
  ['1e30 as an index', castConstant(1e30, 7), REFUSED],
  ['NaN as an int32', castConstant(Number.NaN, 6), REFUSED],
  ['1e30 as an int32', castConstant(1e30, 6), REFUSED],
  [
    'a shape of nothing',
    () => file([node('Reshape', ['x', 's'], ['y'])], floats(4), ['y'], { initializer: [int64('s')] }),
    REFUSED,
  ],
  [
    'a shape that mixes rows',
    () => file([node('Reshape', ['x', 's'], ['y'])], floats(4), ['y'], { initializer: [int64('s', -1, 2)] }),
    REFUSED,
  ],
  [
    'a constant shape of twice -1',
    () =>
      file([node('Reshape', ['c', 's'], ['d']), node('Add', ['x', 'd'], ['y'])], floats(4), ['y'], {
        initializer: [vectorOf('c', 4), int64('s', -1, -1)],
      }),
    /works|ERR_/,
  ],
  [
    'a constant shape of 0',
    () =>
      file([node('Reshape', ['c', 's'], ['d']), node('Add', ['x', 'd'], ['y'])], floats(4), ['y'], {
        initializer: [vectorOf('c', 4), int64('s', 0, 0, -1)],
      }),
    /works|ERR_/,
  ],
  [
    'a tensor that lies about its shape',
    () =>
      file([node('Add', ['x', 'w'], ['y'])], floats(4), ['y'], {
        initializer: [makeTensor('w', 'float32', [2 ** 30], new Float32Array(4))],
      }),
    REFUSED,
  ],
  [
    'a constant below 0 in its shape',
    () =>
      file([node('Add', ['x', 'w'], ['y'])], floats(4), ['y'], {
        initializer: [makeTensor('w', 'float32', [-1, -4], new Float32Array(4))],
      }),
    REFUSED,
  ],
  [
    'sizes that do not fit',
    () => file([node('Add', ['x', 'w'], ['y'])], floats(4), ['y'], { initializer: [vectorOf('w', 3)] }),
    REFUSED,
  ],
  [
    'a constant of no elements',
    () => file([node('Add', ['x', 'w'], ['y'])], floats(4), ['y'], { initializer: [vectorOf('w', 0)] }),
    REFUSED,
  ],
  ['a reduction over no axes', () => file([node('ReduceSum', ['x'], ['y'])], floats(4), ['y']), REFUSED],
  [
    'a reduction over an axis of 2^40',
    () => file([node('ReduceSum', ['x'], ['y'], { axes: ints(2 ** 40) })], floats(4), ['y']),
    REFUSED,
  ],
  ['a cast to a type of 99', () => file([node('Cast', ['x'], ['y'], { to: i(99) })], floats(4), ['y']), REFUSED],
  ['a cast to text', () => file([node('Cast', ['x'], ['y'], { to: i(8) })], floats(4), ['y']), 'works'],
  ['a cast to complex numbers', () => file([node('Cast', ['x'], ['y'], { to: i(14) })], floats(4), ['y']), REFUSED],
  [
    'casts and back',
    () =>
      file(
        [
          node('Cast', ['x'], ['a'], { to: i(7) }),
          node('Cast', ['a'], ['b'], { to: i(6) }),
          node('Cast', ['b'], ['c'], { to: i(9) }),
          node('Cast', ['c'], ['d'], { to: i(11) }),
          node('Cast', ['d'], ['y'], { to: i(1) }),
        ],
        floats(4),
        ['a', 'b', 'c', 'd', 'y'],
      ),
    'works',
  ],
];
