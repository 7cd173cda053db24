import { tensor, vector } from '@brezel/core';
import type { Flow } from '@brezel/flour';
import fc from 'fast-check';
import { anyFloat, denseCase, type OperatorCases, rowsOf } from '../../case.js';

export const cases: OperatorCases = {
  operators: ['row-shape'],
  named: [
    denseCase('a vector of one as a scalar', [[1], [-0], [Number.NaN]], (x) => x.asScalar(), [1, -0, Number.NaN]),
    denseCase('there and back', [[2], [3]], (x) => (x.asScalar() as Flow<'scalar'>).asVector(), [[2], [3]]),
    denseCase('an operator after it', [[2, 3]], (x) => x.argMax().asVector(), [[1]], { engine: 'native' }),
    {
      name: 'a tensor through the addon',
      build(flour) {
        const x = flour.input('x', tensor('float32', [2, 3])) as Flow<'tensor'>;
        return {
          turned: x.asVector().map('abs').asTensor([3, 2]),
          sign: x.asVector().map('negate').asTensor([1, 3, 1, 2]),
        };
      },
      rows: [{ x: [[1, 2, 3], [4, 5, -0]] }, { x: [1, 2, 3, 4, 5, 6] }], // biome-ignore format: one row a line
      expected: [
        { turned: [[1, 2], [3, 4], [5, 0]], sign: [[[[-1, -2]], [[-3, -4]], [[-5, 0]]]] },
        { turned: [[1, 2], [3, 4], [5, 6]], sign: [[[[-1, -2]], [[-3, -4]], [[-5, -6]]]] },
      ], // biome-ignore format: one row a line
      engine: 'native',
    },
    {
      name: 'a tensor of texts, of bools and of wide integers',
      build: (flour) => ({
        t: flour.input('t', vector('string', 4)).asTensor([2, 2]),
        b: flour.input('b', vector('bool', 2)).asTensor([1, 2]),
        i: flour.input('i', tensor('int64', [1, 1, 1])),
        same: flour.input('x', tensor('float32', [2, 1])),
      }),
      rows: [{ t: ['a', '', '\ud800', 'd'], b: [true, false], i: [[[-5]]], x: [[1], [2]] }],
      expected: [{ t: [['a', ''], ['\ufffd', 'd']], b: [[true, false]], i: [[[-5]]], same: [[1], [2]] }], // biome-ignore format: one row
    },
    {
      name: 'text as a vector and back',
      build: (flour) => ({
        y: flour.columns({ text: 'string' }).select('text').asVector(),
        z: flour.columns({ text2: 'string' }).select('text2').asVector().asScalar(),
      }),
      rows: [
        { text: 'a', text2: '' },
        { text: '\ud800', text2: '😀' },
      ],
      expected: [
        { y: ['a'], z: '' },
        { y: ['\ufffd'], z: '😀' },
      ],
    },
    {
      name: 'label as a vector',
      build(flour) {
        const label = flour.columns({ i: 'int64' }).select('i').labels(['no', 'yes']);
        return { y: (label as Flow<'text'>).asVector() };
      },
      rows: [{ i: 0 }, { i: 1 }],
      expected: [{ y: ['no'] }, { y: ['yes'] }],
    },
  ],
  random: fc
    .tuple(rowsOf(anyFloat, 1), fc.boolean())
    .map(([rows, back]) =>
      denseCase(`row-shape ${back}`, rows, (x) =>
        back ? (x.map('abs').asScalar() as Flow<'scalar'>).asVector() : x.asScalar(),
      ),
    ),
};
