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
