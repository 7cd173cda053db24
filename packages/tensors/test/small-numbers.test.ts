import { describe, expect, test } from 'vitest';
import { floats, ints, list, nodeCases, run, tensor } from './one-node.js';

const [inf, nan] = [Number.POSITIVE_INFINITY, Number.NaN];
const to = (type: number, more = {}) => ({ attributes: { to: type, ...more } });
const types = {
  float8e4m3fn: 17,
  float8e4m3fnuz: 18,
  float8e5m2: 19,
  float8e5m2fnuz: 20,
  uint4: 21,
  int4: 22,
  float4e2m1: 23,
  float8e8m0: 24,
  uint2: 25,
  int2: 26,
} as const;

describe('casts to 8- and 4-bit floats', () => {
  // Halves round to the even neighbor. 464 is half way between 448 and the next value, 480.
  const given = floats([0, -0, 1.0625, 1.1875, 464, 465, -1e6, inf, -inf, nan, 2 ** -10, -(2 ** -11)]);
  const cast = (element: keyof typeof types, values: readonly number[], more = {}) =>
    ['', [given], [tensor(element, values)], to(types[element], more)] as const;
  const half = 2 ** -9;
  const rows: readonly (readonly [string, ReturnType<typeof cast>])[] = [
    ['E4M3FN', cast('float8e4m3fn', [0, -0, 1, 1.25, 448, 448, -448, 448, -448, nan, 0, -0])],
    [
      'E4M3FN, nothing saturated',
      cast('float8e4m3fn', [0, -0, 1, 1.25, 448, nan, nan, nan, nan, nan, 0, -0], { saturate: 0 }),
    ],
    ['E4M3FNUZ', cast('float8e4m3fnuz', [0, 0, 1, 1.25, 240, 240, -240, 240, -240, nan, half / 2, 0])],
    [
      'E4M3FNUZ, nothing saturated',
      cast('float8e4m3fnuz', [0, 0, 1, 1.25, nan, nan, nan, nan, nan, nan, half / 2, 0], { saturate: 0 }),
    ],
    ['E5M2', cast('float8e5m2', [0, -0, 1, 1.25, 448, 448, -57344, 57344, -57344, nan, half / 2, -half / 4])],
    [
      'E5M2, nothing saturated',
      cast('float8e5m2', [0, -0, 1, 1.25, 448, 448, -inf, inf, -inf, nan, half / 2, -half / 4], { saturate: 0 }),
    ],
    [
      'E5M2FNUZ, nothing saturated',
      cast('float8e5m2fnuz', [0, 0, 1, 1.25, 448, 448, nan, nan, nan, nan, half / 2, -half / 4], { saturate: 0 }),
    ],
    ['E2M1', cast('float4e2m1', [0, -0, 1, 1, 6, 6, -6, 6, -6, 6, 0, -0])],
  ];
  nodeCases(
    'Cast',
    {},
    rows.map(([name, [, ...rest]]) => [name, ...rest]),
  );

  const powers = floats([0.25, 0.3, 0.375, 0, inf, nan, 2 ** 127 * 1.9, 3]);
  const scale = (values: readonly number[], more: object) =>
    [powers, tensor('float8e8m0', values), to(types.float8e8m0, more)] as const;
  const [least, most] = [2 ** -127, 2 ** 127];
  for (const [name, [input, output, node]] of [
    ['up', scale([0.25, 0.5, 0.5, least, most, nan, most, 4], {})],
    ['down', scale([0.25, 0.25, 0.25, least, most, nan, most, 2], { round_mode: 'down' })],
    ['to the nearest', scale([0.25, 0.25, 0.5, least, most, nan, most, 4], { round_mode: 'nearest' })],
    ['nothing saturated', scale([0.25, 0.5, 0.5, nan, nan, nan, nan, 4], { saturate: 0 })],
  ] as const)
    nodeCases('Cast', {}, [[`E8M0 ${name}`, [input], [output], node]]);
  nodeCases('Cast', {}, [
    ['another rounding', [powers], /round_mode/, to(types.float8e8m0, { round_mode: 'even' })],
    ['a float64 is rounded once', [tensor('float64', [1.0625 + 1e-12])], [tensor('float8e4m3fn', [1.125])], to(17)],
    ['by text', [tensor('string', ['448', '-INF'])], [tensor('float8e5m2', [448, -57344])], to(19)],
    ['from one to the other', [tensor('float8e4m3fn', [448, -0])], [tensor('float8e4m3fnuz', [240, 0])], to(18)],
    ['back to float32', [tensor('float8e5m2', [57344, inf, nan])], [floats([57344, inf, nan])], to(1)],
  ]);

  test('every value casts to itself, and numbers between two values cast to one of them', () => {
    for (const element of ['float8e4m3fn', 'float8e4m3fnuz', 'float8e5m2', 'float8e5m2fnuz', 'float4e2m1'] as const) {
      const all = [...new Set(known(element))].sort((a, b) => a - b);
      const cast = (values: readonly number[]) => [
        ...(first(run('Cast', [tensor('float64', values)], to(types[element]))) as Float32Array),
      ];
      expect(cast(all)).toEqual(all);
      for (let at = 1; at < all.length; at++) {
        const [low, high] = [all[at - 1]!, all[at]!];
        const [nearLow, nearHigh] = [low + (high - low) * 0.49, low + (high - low) * 0.51];
        expect(cast([nearLow, nearHigh]), `${element} between ${low} and ${high}`).toEqual([
          low || expect.anything(),
          high || expect.anything(),
        ]);
      }
    }
  });
});

/**
 * Returns the finite values of a type, from the definition of the type: sign, exponent, fraction.
 */
function known(element: string): number[] {
  const [exponentBits, fractionBits, bias] = /e(\d)m(\d)/.exec(element)!.slice(1).map(Number).concat([0]) as [
    number,
    number,
    number,
  ];
  const offset = element.endsWith('uz') ? 2 ** (exponentBits - 1) : 2 ** (exponentBits - 1) - 1 + bias;
  const greatest: Record<string, number> = {
    float8e4m3fn: 448,
    float8e4m3fnuz: 240,
    float8e5m2: 57344,
    float8e5m2fnuz: 57344,
    float4e2m1: 6,
  };
  const sizes = Array.from({ length: 2 ** (exponentBits + fractionBits) }, (_, pattern) => {
    const [exponent, fraction] = [pattern >> fractionBits, (pattern % 2 ** fractionBits) / 2 ** fractionBits];
    return exponent === 0 ? fraction * 2 ** (1 - offset) : (1 + fraction) * 2 ** (exponent - offset);
  }).filter((size) => size <= greatest[element]!);
  return [...sizes, ...sizes.map((size) => (size === 0 ? 0 : -size))];
}

const first = ([output]: ReturnType<typeof run>) => (output as { data: unknown }).data;

describe('casts to integers of 4 and 2 bits', () => {
  nodeCases('Cast', {}, [
    ['low bits stay', [floats([-9, -8, 7, 8, 15])], [tensor('int4', [7, -8, 7, -8, -1])], to(types.int4)],
    ['unsigned', [floats([-1, 15, 16])], [tensor('uint4', [15, 15, 0])], to(types.uint4)],
    [
      'halves go to the even one',
      [floats([0.5, 1.5, 2.5, -0.5, nan])],
      [tensor('int4', [0, 2, 2, 0, 0])],
      to(types.int4),
    ],
    ['two bits', [ints([-3, -2, 1, 2, 3])], [tensor('int2', [1, -2, 1, -2, -1])], to(types.int2)],
    ['two bits, unsigned', [ints([-1, 4, 2 ** 40 + 1])], [tensor('uint2', [3, 0, 1])], to(types.uint2)],
    ['wider again', [tensor('int4', [-8, 7])], [tensor('int8', [-8, 7])], to(3)],
    ['as text', [tensor('uint4', [15])], [tensor('string', ['15'])], to(8)],
  ]);
  nodeCases('CastLike', {}, [['the type of the second', [floats([9]), tensor('int4', [])], [tensor('int4', [-7])]]]);
});

describe('operators that move elements accept the types, operators that compute do not', () => {
  const small = tensor('int4', [1, -2, 3, -4], [2, 2]);
  nodeCases('Transpose', {}, [['int4', [small], [tensor('int4', [1, 3, -2, -4], [2, 2])]]]);
  nodeCases('Identity', {}, [['a sequence of them', [list(small)], [list(small)]]]);
  nodeCases('Add', {}, [['float8', [tensor('float8e5m2', [1]), tensor('float8e5m2', [1])], /of type float8e5m2/]]);
  nodeCases('Mul', {}, [['int4', [small, small], /of type int4/]]);
});
