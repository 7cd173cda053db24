import { makeTensor } from '@brezel/onnx';
import { file, floats, linearModel, ml, node } from '../models.js';
import { type Attributes, type Case, changed, i, ints, REFUSED, s, WEIGHT } from './case.js';

const linear = (attributes: Attributes) => changed(linearModel, attributes);

/** Files with linear classifiers and regressors, and with unusual names of their scores. */
export const linearModels: readonly Case[] = [
  ['too few coefficients', linear({ coefficients: { floats: [1, 2, 3, 4, 5] } }), REFUSED],
  ['no coefficients', linear({ coefficients: { floats: [] } }), REFUSED],
  ['too many classes', linear({ classlabels_ints: ints(0, 1, 2) }), REFUSED],
  ['no classes', linear({ classlabels_ints: ints() }), REFUSED],
  ['too few intercepts', linear({ intercepts: { floats: [1] } }), REFUSED],
  [
    'NaN and infinities',
    linear({ coefficients: { floats: [Number.NaN, Number.POSITIVE_INFINITY, -0, 1e38, -1e38, 0] } }),
    WEIGHT,
  ],
  ['labels beyond 2^53', linear({ classlabels_ints: ints(2n ** 62n, -(2n ** 63n)) }), /works|ERR_ONNX/],
  ['one label twice', linear({ classlabels_ints: ints(7, 7) }), 'works'],
  ['both kinds of labels', linear({ classlabels_strings: { strings: ['a', 'b'] } }), 'works'],
  [
    'one score under a transform of many',
    linear({ coefficients: { floats: [1, 2, 3] }, intercepts: { floats: [0] }, post_transform: s('SOFTMAX') }),
    'works',
  ],
  ['a transform that is none', linear({ post_transform: s('toString') }), REFUSED],
  [
    'targets of 0',
    () =>
      file([ml('LinearRegressor', ['x'], ['y'], { coefficients: { floats: [] }, targets: i(0) })], floats(3), ['y']),
    REFUSED,
  ],
  [
    'targets below 0',
    () =>
      file([ml('LinearRegressor', ['x'], ['y'], { coefficients: { floats: [1, 2, 3] }, targets: i(-1) })], floats(3), [
        'y',
      ]),
    REFUSED,
  ],
  [
    'targets of 2^31',
    () =>
      file(
        [ml('LinearRegressor', ['x'], ['y'], { coefficients: { floats: [1, 2, 3] }, targets: i(2 ** 31) })],
        floats(3),
        ['y'],
      ),
    REFUSED,
  ],
  [
    'a matrix that does not fit',
    () =>
      file([node('MatMul', ['x', 'w'], ['y'])], floats(3), ['y'], {
        initializer: [makeTensor('w', 'float32', [2, 2], new Float32Array(4))],
      }),
    REFUSED,
  ],
  [
    'a matrix of no columns',
    () =>
      file([node('MatMul', ['x', 'w'], ['y'])], floats(3), ['y'], {
        initializer: [makeTensor('w', 'float32', [3, 0], new Float32Array(0))],
      }),
    REFUSED,
  ],
  [
    'no names for two numbers',
    () => file([ml('ZipMap', ['x'], ['y'], { classlabels_int64s: ints() })], floats(2), ['y']),
    REFUSED,
  ],
  [
    'one name for two numbers',
    () => file([ml('ZipMap', ['x'], ['y'], { classlabels_int64s: ints(3) })], floats(2), ['y']),
    REFUSED,
  ],
  [
    'the same name twice',
    () => file([ml('ZipMap', ['x'], ['y'], { classlabels_int64s: ints(3, 3) })], floats(2), ['y']),
    /works|ERR_(ONNX|FLOUR|STORE)/,
  ],
  [
    'names of prototypes',
    () =>
      file(
        [ml('ZipMap', ['x'], ['y'], { classlabels_strings: { strings: ['__proto__', 'constructor'] } })],
        floats(2),
        ['y'],
      ),
    'works',
  ],
];
