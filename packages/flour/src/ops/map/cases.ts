import fc from 'fast-check';
import {
  anyElement,
  anyFloat,
  denseCase,
  type OperatorCases,
  oddFloats,
  rowsOf,
  typedCase,
  vectorCases,
} from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const functions = [
  'exp',
  'log',
  'sigmoid',
  'tanh',
  'relu',
  'negate',
  'abs',
  'sqrt',
  'reciprocal',
  'sign',
  'floor',
  'ceil',
] as const;
const steps = Array.from({ length: 401 }, (_, at) => Math.fround((at - 200) / 1.9));

export const cases: OperatorCases = {
  operators: ['map'],
  named: [
    denseCase('exp', [[0, -0, -inf, inf, nan, 200, -200]], (x) => x.map('exp'), [[1, 1, 0, inf, nan, inf, 0]], {
      engine: 'native',
    }),
    denseCase('log', [[1, 0, -0, -1, inf, nan]], (x) => x.map('log'), [[0, -inf, -inf, nan, inf, nan]]),
    denseCase('sigmoid', [[0, inf, -inf, nan, 200]], (x) => x.map('sigmoid'), [[0.5, 1, 0, nan, 1]]),
    denseCase('tanh', [[0, -0, inf, -inf, nan, 50, -50]], (x) => x.map('tanh'), [[0, 0, 1, -1, nan, 1, -1]]),
    denseCase('relu', [[1, -1, -0, 0, nan, -inf, inf]], (x) => x.map('relu'), [[1, 0, 0, 0, nan, 0, inf]]),
    denseCase('negate', [[1, 0, -0, inf, nan]], (x) => x.map('negate'), [[-1, -0, 0, -inf, nan]]),
    denseCase('abs', [[-1, -0, -inf, nan]], (x) => x.map('abs'), [[1, 0, inf, nan]]),
    denseCase('sqrt', [[4, 2, 0, -0, -1, inf, nan]], (x) => x.map('sqrt'), [
      [2, Math.fround(Math.SQRT2), 0, -0, nan, inf, nan],
    ]),
    denseCase('reciprocal', [[4, 0, -0, inf, nan]], (x) => x.map('reciprocal'), [[0.25, inf, -inf, 0, nan]]),
    denseCase('sign', [[4, 0, -0, -inf, nan]], (x) => x.map('sign'), [[1, 0, -0, -1, nan]]),
    denseCase('floor', [[1.5, -1.5, -0, inf, nan]], (x) => x.map('floor'), [[1, -2, -0, inf, nan]]),
    denseCase('ceil', [[1.5, -1.5, -0.5, inf, nan]], (x) => x.map('ceil'), [[2, -1, -0, inf, nan]]),
    ...functions.map((name) => denseCase(`${name} of odd floats`, [[...oddFloats]], (x) => x.map(name))),
    ...functions.map((name) => denseCase(`${name} from -105 to 105`, [steps], (x) => x.map(name))),
    typedCase(
      'float64 keeps its digits',
      'float64',
      [[0.1 + 2 ** -56, -2]],
      (x) => x.map('abs'),
      [[0.1 + 2 ** -56, 2]],
      {
        engine: 'native',
      },
    ),
    {
      name: 'a scalar',
      build: (flour) => ({ y: flour.columns({ x: 'float32' }).select('x').map('abs') }),
      rows: [{ x: -3 }, { x: 0 }],
      expected: [{ y: 3 }, { y: 0 }],
    },
  ],
  random: fc.oneof(
    vectorCases('map', anyFloat, () =>
      fc.constantFrom(...functions).map((name) => ({ name, apply: (x) => x.map(name) })),
    ),
    fc
      .tuple(fc.constantFrom(...functions), rowsOf(anyElement.float64, 5))
      .map(([name, rows]) =>
        typedCase(`${name} in float64`, 'float64', rows, (x) => x.map(name), undefined, { engine: 'native' }),
      ),
  ),
};
