import { vector } from '@brezel/core';
import { type FlourContext, type Flow, gatherConstant } from '@brezel/flour';
import fc from 'fast-check';
import { anyElement, anySize, listOf, type OperatorCase, type OperatorCases, typedCase } from '../../case.js';

const types = ['float32', 'float64', 'int64', 'int32', 'bool'] as const;

const indicesInput = (flour: FlourContext, size: number) => flour.input('i', vector('int64', size)) as Flow<'vector'>;

const ofRow: fc.Arbitrary<OperatorCase> = fc
  .tuple(anySize, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3 }), fc.constantFrom(...types))
  .chain(([size, count, block, dtype]) =>
    fc
      .array(
        fc.tuple(listOf(anyElement[dtype], size * block), listOf(fc.integer({ min: -size, max: size - 1 }), count)),
        { minLength: 1, maxLength: 4 },
      )
      .map((rows) => ({
        name: `${count} of ${size} ${dtype} * ${block}`,
        build: (flour) => {
          const x = flour.input('x', vector(dtype, size * block)) as Flow<'vector'>;
          return { y: x.gather(indicesInput(flour, count), { block }) };
        },
        rows: rows.map(([x, i]) => ({ x, i })),
      })),
  );

const ofTable: fc.Arbitrary<OperatorCase> = fc
  .tuple(...([3, 9, 4, 3] as const).map((max) => fc.integer({ min: 1, max })))
  .chain(([outer, entries, block, count]) =>
    fc
      .tuple(
        listOf(anyElement.float64, outer! * entries! * block!),
        fc.array(listOf(fc.integer({ min: -entries!, max: entries! - 1 }), count!), { minLength: 1, maxLength: 4 }),
      )
      .map(([table, rows]) => ({
        name: `[${outer}, ${entries}, ${block}] at ${count}`,
        build: (flour) => {
          const data = Float64Array.from(table);
          const layout = { outer: outer!, entries: entries!, block: block! };
          const y = gatherConstant(
            indicesInput(flour, count!),
            { dtype: 'float64', shape: [data.length], data },
            layout,
          );
          return { y };
        },
        rows: rows.map((i) => ({ i })),
      })),
  );

export const cases: OperatorCases = {
  operators: ['gather'],
  named: [
    typedCase(
      'the median of three',
      'float32',
      [
        [3, 1, 2],
        [5, 6, 4],
      ],
      (x) => x.gather(x.topK({ k: 2 }).indices).selectColumns([1]),
      [[2], [5]],
      { engine: 'native' },
    ),
    {
      name: 'counted from the end',
      build: (flour) => ({
        y: (flour.input('x', vector('int64', 3)) as Flow<'vector'>).gather(indicesInput(flour, 2)),
      }),
      rows: [{ x: [7, 8, 9], i: [-1, 0] }],
      expected: [{ y: [9, 7] }],
      engine: 'mixed',
    },
    {
      name: 'rows of a table',
      build: (flour) => ({
        y: gatherConstant(
          indicesInput(flour, 2),
          { dtype: 'float32', shape: [4], data: Float32Array.of(1, 2, 3, 4) },
          { outer: 1, entries: 2, block: 2 },
        ),
      }),
      rows: [{ i: [1, 1] }, { i: [0, -1] }],
      expected: [{ y: [3, 4, 3, 4] }, { y: [1, 2, 3, 4] }],
      engine: 'native',
    },
  ],
  random: fc.oneof(ofRow, ofTable),
};
