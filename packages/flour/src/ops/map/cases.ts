import type { Flow } from '@brezel/flour';
import { functions, type PlainFunction, type ShapedFunction, shapedFunctions, usualShapes } from '@brezel/tensors';
import fc from 'fast-check';
import {
  anyElement,
  anyFloat,
  denseCase,
  type OperatorCases,
  oddFloats,
  rowsOf,
  tameFloat,
  typedCase,
  vectorCases,
} from '../../case.js';

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const plain = Object.keys(functions) as PlainFunction[];
const shaped = Object.keys(shapedFunctions) as ShapedFunction[];
const steps = Array.from({ length: 401 }, (_, at) => Math.fround((at - 200) / 1.9));

/** The expected sines, computed with another library and rounded to float32. */
const sines = [0, -0, -0.8522008497671888, -0.8178819121159085, nan].map(Math.fround);
const sinh89 = Math.fround(2.2448064095871728e38);
/**
 * Lists of angles, with their names, for which sine and cosine are hard to compute: near multiples
 * of half pi, and very large.
 */
const angles: readonly (readonly [string, number[]])[] = [
  ['near multiples of half pi', Array.from({ length: 64 }, (_, k) => k * 16385 * (Math.PI / 2))],
  ['of any size', Array.from({ length: 64 }, (_, k) => 1.2345678901 * 2 ** (k * 16 - 3))],
  [
    'around where the reduction changes',
    [2 ** 20 - 0.25, 2 ** 20, 2 ** 20 + 0.25, -(2 ** 20), 6381956970095103 * 2 ** 797],
  ],
];

/** A random function of `map`. Its settings are small numbers. */
const anyFunction: fc.Arbitrary<{ name: string; apply: (x: Flow<'vector'>) => Flow }> = fc.oneof(
  fc.constantFrom(...plain).map((name) => ({ name, apply: (x: Flow<'vector'>): Flow => x.map(name) })),
  fc.tuple(fc.constantFrom(...shaped), tameFloat, tameFloat).map(([name, alpha, beta]) => {
    const shape = usualShapes[name].length === 1 ? { alpha } : { alpha, beta };
    return { name: `${name} ${alpha} ${beta}`, apply: (x: Flow<'vector'>): Flow => x.map(name, shape) };
  }),
);

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
    typedCase('sin of any size', 'float64', [[0, -0, 1e22, 1e300, inf]], (x) => x.map('sin').cast('float32'), [sines]),
    denseCase('acos', [[1, 0, -1, 2]], (x) => x.map('acos'), [
      [0, Math.fround(Math.PI / 2), Math.fround(Math.PI), nan],
    ]),
    denseCase('sinh near the end of float32', [[89, -89, 90, -0]], (x) => x.map('sinh'), [[sinh89, -sinh89, inf, -0]]),
    denseCase('erf', [[0, -0, 1, -9, inf, nan]], (x) => x.map('erf'), [
      [0, -0, Math.fround(0.8427007929497149), -1, 1, nan],
    ]),
    denseCase('round to even', [[0.5, 1.5, -0.5, -2.5, nan, inf]], (x) => x.map('round'), [[0, 2, -0, -2, nan, inf]]),
    denseCase('leakyRelu', [[-2, -0, 3, nan, -inf]], (x) => x.map('leakyRelu', { alpha: 0.5 }), [
      [-1, -0, 3, nan, -inf],
    ]),
    denseCase('shrink', [[-2, 0.5, 3, nan]], (x) => x.map('shrink', { alpha: 1, beta: 0.5 }), [[-1.5, 0, 2.5, 0]]),
    denseCase('selu as usual', [[-inf, 0, 1]], (x) => x.map('selu'), [
      [Math.fround(-1.7580993408473766), 0, Math.fround(1.0507009873554805)],
    ]),
    ...plain.map((name) =>
      denseCase(`${name} of odd floats`, [[...oddFloats]], (x) => x.map(name), undefined, { engine: 'native' }),
    ),
    ...plain.map((name) => denseCase(`${name} from -105 to 105`, [steps], (x) => x.map(name))),
    ...shaped.map((name) =>
      denseCase(`${name} of odd floats`, [[...oddFloats]], (x) => x.map(name), undefined, { engine: 'native' }),
    ),
    ...shaped.map((name) => denseCase(`${name} from -105 to 105`, [steps], (x) => x.map(name))),
    ...angles.map(([name, values]) =>
      typedCase(`sin and cos ${name}`, 'float64', [values], (x) => x.map('sin').concat(x.map('cos'), x.map('tan'))),
    ),
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
    vectorCases('map', anyFloat, () => anyFunction),
    fc
      .tuple(anyFunction, rowsOf(anyElement.float64, 5))
      .map(([{ name, apply }, rows]) =>
        typedCase(`${name} in float64`, 'float64', rows, apply, undefined, { engine: 'native' }),
      ),
  ),
};
