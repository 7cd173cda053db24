import { operators } from '@brezel/flour';
import fc from 'fast-check';
import {
  anyElement,
  anyFloat,
  denseCase,
  type OperatorCases,
  rowsOf,
  tameFloat,
  typedCase,
  vectorCases,
} from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
// ONNX-ML's SOFTMAX_ZERO has no fluent method.
const keepZeros = (x: Parameters<Parameters<typeof denseCase>[2]>[0]) =>
  x.context.apply<'vector'>(operators.get('softmax')!, [x], { attributes: { keepZeros: true } });
const plain = () =>
  fc.constant({ name: '', apply: (x: Parameters<Parameters<typeof denseCase>[2]>[0]) => x.softmax() });

export const cases: OperatorCases = {
  operators: ['softmax'],
  named: [
    denseCase(
      'equal scores',
      [
        [3, 3],
        [0, -0],
        [-1e30, -1e30],
      ],
      (x) => x.softmax(),
      [
        [0.5, 0.5],
        [0.5, 0.5],
        [0.5, 0.5],
      ],
      { engine: 'native' },
    ),
    denseCase('one column', [[5], [nan], [-inf]], (x) => x.softmax(), [[1], [nan], [nan]]),
    denseCase('far apart', [[1000, 0, -1000]], (x) => x.softmax(), [[1, 0, 0]]),
    denseCase(
      'one infinity',
      [
        [-inf, 0],
        [inf, 0],
      ],
      (x) => x.softmax(),
      [
        [0, 1],
        [nan, nan],
      ],
    ),
    denseCase(
      'NaN spreads',
      [
        [1, nan],
        [nan, 1],
      ],
      (x) => x.softmax(),
      [
        [nan, nan],
        [nan, nan],
      ],
    ),
    denseCase(
      'zeros stay',
      [
        [0, 2, 2],
        [-0, 0, 0],
        [0, -1, 0],
      ],
      keepZeros,
      [
        [0, 0.5, 0.5],
        [0, 0, 0],
        [0, 1, 0],
      ],
    ),
    typedCase(
      'float64 beyond float32',
      'float64',
      [
        [1e300, 1e300],
        [1e300, 0],
      ],
      (x) => x.softmax(),
      [
        [0.5, 0.5],
        [1, 0],
      ],
      {
        engine: 'native',
      },
    ),
    denseCase(
      'logarithms',
      [
        [1000, 1000],
        [0, -inf],
        [nan, 0],
      ],
      (x) => x.softmax({ logarithm: true }),
      [
        [Math.fround(-Math.LN2), Math.fround(-Math.LN2)],
        [0, -inf],
        [nan, nan],
      ],
      { engine: 'native' },
    ),
    denseCase('parts', [[0, 0, 1000, 0]], (x) => x.softmax({ parts: 2 }), [[0.5, 0.5, 1, 0]], { engine: 'native' }),
    denseCase('with weights', [[1], [0]], (x) => x.softmax({ weights: [0, 0, 0, 0], bias: [0, 0, 0, 0] }), [
      Array(4).fill(0.25),
      Array(4).fill(0.25),
    ]),
  ],
  random: fc.oneof(
    fc
      .record({
        logarithm: fc.boolean(),
        parts: fc.integer({ min: 1, max: 3 }),
        dtype: fc.constantFrom('float32' as const, 'float64' as const),
      })
      .chain(({ dtype, ...options }) =>
        rowsOf(anyElement[dtype], 3 * options.parts).map((rows) =>
          typedCase(`${dtype} ${JSON.stringify(options)}`, dtype, rows, (x) => x.softmax(options), undefined, {
            engine: 'native',
          }),
        ),
      ),
    vectorCases('softmax', tameFloat, plain),
    vectorCases('softmax', anyFloat, plain),
    rowsOf(anyElement.float64, 4).map((rows) =>
      typedCase('softmax in float64', 'float64', rows, (x) => x.softmax(), undefined, { engine: 'native' }),
    ),
    fc
      .integer({ min: 1, max: 9 })
      .chain((size) =>
        rowsOf(fc.oneof(anyFloat, fc.constant(0)), size).map((rows) =>
          denseCase('softmax keeping zeros', rows, keepZeros),
        ),
      ),
  ),
};
