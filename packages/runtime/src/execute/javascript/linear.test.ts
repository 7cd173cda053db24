import { type DenseBlock, dense, LaneSum, type SparseBlock, scalar, vector } from '@brezel/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seed } from '../../../test/execute/javascript/seed.js';
import { bytesOf, entriesOf, float32, vectors } from '../../../test/execute/javascript/vectors.js';
import { fastKernels } from './index.js';

const setup = fc.integer({ min: 1, max: 11 }).chain((outputs) =>
  fc.record({
    outputs: fc.constant(outputs),
    branches: fc.integer({ min: 1, max: 5 }).chain((rows) =>
      fc.array(
        vectors(rows).chain((block) => {
          const length = block.size * outputs;
          return fc.record({
            block: fc.constant(block),
            weights: fc.array(float32, { minLength: length, maxLength: length }).map((w) => Float32Array.from(w)),
          });
        }),
        { minLength: 1, maxLength: 3 },
      ),
    ),
    bias: fc.array(float32, { minLength: outputs, maxLength: outputs }).map((b) => Float32Array.from(b)),
  }),
);

/** Returns the scores ((s0 + s1) + ...) + bias, where each sum uses `lanes(outputs)`. */
function scoresOf(
  row: number,
  outputs: number,
  branches: readonly { block: SparseBlock | DenseBlock; weights: Float32Array }[],
  bias: Float32Array,
) {
  const sums = branches.map(({ block, weights }) => {
    const sum = new LaneSum(outputs);
    for (const [id, value] of entriesOf(block, row)) sum.addProducts(value, weights, id * outputs);
    return sum.finish();
  });
  return Array.from({ length: outputs }, (_, output) => {
    const total = sums.map((sum) => sum[output]!).reduce((a, b) => Math.fround(a + b));
    return Math.fround(total + bias[output]!);
  });
}

test('sums branches bit for bit as LaneSum does', () => {
  fc.assert(
    fc.property(setup, ({ outputs, branches, bias }) => {
      const { rows } = branches[0]!.block;
      const result = fastKernels.linear!({
        rows,
        inputs: branches.map(({ block }) => block),
        type: outputs === 1 ? scalar('float32') : vector('float32', outputs),
        attributes: [],
        parameters: [...branches.map(({ weights }) => bytesOf(weights)), bytesOf(bias)],
      }) as DenseBlock<'float32'>;
      const expected = Array.from({ length: rows }, (_, row) => scoresOf(row, outputs, branches, bias)).flat();
      expect(result).toEqual(dense('float32', rows, outputs, Float32Array.from(expected)));
    }),
    { seed, numRuns: 500 },
  );
});

test('reads parameters at any offset', () => {
  const bytes = new Uint8Array(5);
  bytes.set(bytesOf(Float32Array.of(0.5)), 1);
  const inputs = [dense('float32', 1, 1, Float32Array.of(3))];
  const parameters = [bytes.subarray(1), bytesOf(Float32Array.of(1))];
  const result = fastKernels.linear!({ rows: 1, inputs, type: scalar('float32'), attributes: [], parameters });
  expect(result).toEqual(dense('float32', 1, 1, Float32Array.of(2.5)));
});
