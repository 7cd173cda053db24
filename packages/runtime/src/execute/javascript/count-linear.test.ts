import { type DenseBlock, dense, type SparseBlock, scalar, vector } from '@brezel/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seed } from '../../../test/execute/javascript/seed.js';
import { bytesOf, entriesOf, float32, vectors } from '../../../test/execute/javascript/vectors.js';
import { fastKernels } from './index.js';

const setup = fc.integer({ min: 1, max: 4 }).chain((outputs) =>
  fc.record({
    outputs: fc.constant(outputs),
    each: fc.boolean(),
    exponent: fc.integer({ min: -40, max: 10 }),
    branches: fc.integer({ min: 1, max: 4 }).chain((rows) =>
      fc.array(
        vectors(rows)
          .filter((block): block is SparseBlock => block.kind === 'sparse')
          .chain((block) => {
            const length = block.size * outputs;
            const weight = fc.integer({ min: -(2 ** 30), max: 2 ** 30 });
            const weights = fc.array(weight, { minLength: length, maxLength: length });
            return fc.record({ block: fc.constant(block), weights: weights.map((w) => Int32Array.from(w)) });
          }),
        { minLength: 1, maxLength: 3 },
      ),
    ),
    bias: fc.array(float32, { minLength: outputs, maxLength: outputs }).map((b) => Float32Array.from(b)),
  }),
);

// Values of 2^22 and more take the path with bigints.
test('adds counts times weights exactly', () => {
  fc.assert(
    fc.property(setup, ({ outputs, each, exponent, branches, bias }) => {
      const { rows } = branches[0]!.block;
      const scale = Float64Array.of(2 ** exponent);
      const result = fastKernels.count_linear!({
        rows,
        inputs: branches.map(({ block }) => block),
        type: outputs === 1 ? scalar('float32') : vector('float32', outputs),
        attributes: [each ? 1 : 0],
        parameters: [...branches.map(({ weights }) => weights), scale, bias].map(
          ({ buffer }) => new Uint8Array(buffer),
        ),
      }) as DenseBlock<'float32'>;
      const expected = Array.from({ length: rows * outputs }, (_, at) => {
        const [row, output] = [Math.floor(at / outputs), at % outputs];
        let sum = 0n;
        for (const { block, weights } of branches)
          for (const [id, value] of entriesOf(block, row)) {
            const count = each ? 1 : Math.floor(Math.min(Math.max(value, 0), 2 ** 24));
            sum += BigInt(count) * BigInt(weights[id * outputs + output]!);
          }
        return Math.fround(Number(sum) * scale[0]!) + bias[output]!;
      });
      expect(result).toEqual(dense('float32', rows, outputs, Float32Array.from(expected)));
    }),
    { seed, numRuns: 300 },
  );
});

test('reads parameters at any offset', () => {
  const bytes = new Uint8Array(5);
  bytes.set(new Uint8Array(Int32Array.of(6).buffer), 1);
  const inputs: SparseBlock[] = [
    {
      kind: 'sparse',
      rows: 1,
      size: 1,
      offsets: Uint32Array.of(0, 2),
      ids: Uint32Array.of(0, 0),
      values: Float32Array.of(1, 1),
    },
  ];
  const scale = new Uint8Array(Float64Array.of(0.25).buffer);
  const parameters = [bytes.subarray(1), scale, bytesOf(Float32Array.of(1))];
  const result = fastKernels.count_linear!({ rows: 1, inputs, type: scalar('float32'), attributes: [1], parameters });
  expect(result).toEqual(dense('float32', 1, 1, Float32Array.of(4)));
});
