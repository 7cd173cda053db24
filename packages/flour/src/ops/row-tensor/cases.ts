import { type ParameterValue, tensor } from '@brezel/core';
import { applyRowTensor, type FlourContext, type Flow, type RowTensorSpec } from '@brezel/flour';
import fc from 'fast-check';
import { anyFloat, listOf, type OperatorCases } from '../../case.js';

const plain = { domain: '', opset: 17, options: {}, outputs: 1, output: 0 } as const;

/** Declares the input `x` with a given type and shape. */
const input = (flour: FlourContext, dtype: 'float32' | 'int32' | 'int64' | 'string', shape: readonly number[]): Flow =>
  flour.input('x', tensor(dtype, shape));

const use = (
  flow: Flow,
  spec: Pick<RowTensorSpec, 'operator' | 'operands' | 'element' | 'shape'> & Partial<RowTensorSpec>,
  parameters: Readonly<Record<string, ParameterValue>> = {},
) => ({ y: applyRowTensor(flow.context, { ...plain, ...spec }, [flow], parameters) });

export const cases: OperatorCases = {
  operators: ['row-tensor'],
  named: [
    {
      name: 'axes in another order, rows last',
      build: (flour) =>
        use(input(flour, 'float32', [2, 3]), {
          operator: 'Transpose',
          operands: [{ from: 'row', element: 'float32', shape: [2, 3, 1] }],
          options: { perm: [1, 2, 0] },
          element: 'float32',
          shape: [3, 2],
        }),
      rows: [{ x: [1, 2, 3, 4, 5, 6] }, { x: [[0, -0, 1], [2, 3, Number.NaN]] }], // biome-ignore format: one row a line
      expected: [{ y: [[1, 4], [2, 5], [3, 6]] }, { y: [[0, 2], [-0, 3], [1, Number.NaN]] }], // biome-ignore format: one row a line
      engine: 'javascript',
    },
    {
      name: 'what lies before and behind it stays in the addon',
      build: (flour) => {
        const x = (flour.input('x', tensor('float32', [2])) as Flow<'vector'>).scale({ offset: 1, scale: 2 });
        const { y } = use(x, {
          operator: 'Concat',
          operands: [
            { from: 'row', element: 'float32', shape: [1, 2] },
            { from: 'value', element: 'float32', shape: [1, 1], data: [7] },
          ],
          options: { axis: 1 },
          element: 'float32',
          shape: [3],
        });
        return { y: (y as Flow<'vector'>).linear({ weights: [1, 10, 100] }).map('relu') };
      },
      rows: [{ x: [1, 2] }, { x: [-400, 0] }],
      expected: [{ y: [720] }, { y: [0] }],
      engine: 'mixed',
    },
    {
      name: 'a parameter, and a value on which the shape depends',
      build: (flour) =>
        use(
          input(flour, 'float32', [2]),
          {
            operator: 'Concat',
            operands: [
              { from: 'row', element: 'float32', shape: [1, 2] },
              { from: 'parameter', element: 'float32' },
            ],
            options: { axis: 1 },
            element: 'float32',
            shape: [3],
          },
          { input1: { dtype: 'float32', shape: [1, 1], data: Float32Array.of(9) } },
        ),
      rows: [{ x: [1, 2] }],
      expected: [{ y: [1, 2, 9] }],
    },
    {
      name: 'integers that no row type has',
      build: (flour) =>
        use(input(flour, 'int32', [3]), {
          operator: 'Concat',
          operands: [
            { from: 'row', element: 'uint8', shape: [1, 3] },
            { from: 'value', element: 'uint8', shape: [1, 1], data: [255] },
          ],
          options: { axis: 1 },
          element: 'uint8',
          shape: [2, 2],
        }),
      rows: [{ x: [0, 1, 254] }],
      expected: [{ y: [[0, 1], [254, 255]] }], // biome-ignore format: one row
    },
    {
      name: 'bigints of unsigned integers',
      build: (flour) =>
        use(input(flour, 'int64', [2]), {
          operator: 'Identity',
          operands: [{ from: 'row', element: 'uint32', shape: [1, 2] }],
          element: 'uint32',
          shape: [2],
        }),
      rows: [{ x: [0, 4294967295] }],
      expected: [{ y: [0, 4294967295] }],
    },
    {
      name: 'texts',
      build: (flour) =>
        use(input(flour, 'string', [2, 1]), {
          operator: 'Reshape',
          operands: [
            { from: 'row', element: 'string', shape: [1, 2, 1] },
            { from: 'value', element: 'int64', shape: [1], data: [-1] },
          ],
          element: 'string',
          shape: [2],
        }),
      rows: [{ x: ['a', '\ud800'] }],
      expected: [{ y: ['a', '\ufffd'] }],
    },
    {
      name: 'the second output',
      build: (flour) =>
        use(input(flour, 'float32', [3]), {
          operator: 'Split',
          operands: [
            { from: 'row', element: 'float32', shape: [1, 3] },
            { from: 'value', element: 'int64', shape: [2], data: [1, 2] },
          ],
          options: { axis: 1 },
          outputs: 2,
          output: 1,
          element: 'float32',
          shape: [2],
        }),
      rows: [{ x: [1, 2, 3] }],
      expected: [{ y: [2, 3] }],
    },
  ],
  random: fc.array(listOf(anyFloat, 6), { minLength: 1, maxLength: 5 }).chain((rows) =>
    fc.constantFrom([0, 1, 2], [0, 2, 1], [2, 0, 1]).map((perm) => ({
      name: `row-tensor ${perm}`,
      build: (flour) =>
        use(input(flour, 'float32', [2, 3]), {
          operator: 'Transpose',
          operands: [{ from: 'row', element: 'float32', shape: [1, 2, 3] }],
          options: { perm },
          element: 'float32',
          shape: perm[1] === 1 || perm[1] === 0 ? [2, 3] : [3, 2],
        }),
      rows: rows.map((x) => ({ x })),
    })),
  ),
};
