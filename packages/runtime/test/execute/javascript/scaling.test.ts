import { type DenseBlock, LaneSum, type SparseBlock, sparse, vector } from '@brezel/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fastKernels } from '../../../src/execute/javascript/index.js';
import { seed } from './seed.js';
import { bytesOf, entriesOf, float32, vectors } from './vectors.js';

const blocks = fc.integer({ min: 0, max: 4 }).chain(vectors);
type Vectors = SparseBlock | DenseBlock<'float32'>;

const typeOf = (block: Vectors) => (block.kind === 'sparse' ? sparse(block.size) : vector('float32', block.size));

/** Returns a copy of a block in which `change` has computed the values of each row. */
function mapRows(block: Vectors, change: (entries: [column: number, value: number][]) => number[]): Vectors {
  const rows = Array.from({ length: block.rows }, (_, row) => change(entriesOf(block, row)));
  return { ...block, values: Float32Array.from(rows.flat()) };
}

function norm(values: number[], kind: number): number {
  if (kind === 2) return Math.max(...values);
  const sum = new LaneSum(1);
  for (const value of values) sum.add(kind === 0 ? Math.abs(value) : Math.fround(value * value));
  const total = sum.finish()[0]!;
  return kind === 0 ? total : Math.fround(Math.sqrt(total));
}

test.each([0, 1, 2])('normalize %i divides by the norm', (kind) => {
  fc.assert(
    fc.property(blocks, (block) => {
      const result = fastKernels.normalize!({
        rows: block.rows,
        inputs: [block],
        type: typeOf(block),
        attributes: [kind],
        parameters: [],
      });
      const expected = mapRows(block, (entries) => {
        const values = entries.map(([, value]) => value);
        const divisor = norm(values, kind);
        return divisor === 0 ? values : values.map((value) => Math.fround(value / divisor));
      });
      expect(result).toEqual(expected);
    }),
    { seed, numRuns: 300 },
  );
});

test('weight multiplies each column', () => {
  const given = blocks.chain((block) =>
    fc.record({
      block: fc.constant(block),
      weights: fc.array(float32, { minLength: block.size, maxLength: block.size }).map((w) => Float32Array.from(w)),
    }),
  );
  fc.assert(
    fc.property(given, ({ block, weights }) => {
      const result = fastKernels.weight!({
        rows: block.rows,
        inputs: [block],
        type: typeOf(block),
        attributes: [],
        parameters: [bytesOf(weights)],
      });
      expect(result).toEqual(
        mapRows(block, (entries) => entries.map(([id, value]) => Math.fround(value * weights[id]!))),
      );
    }),
    { seed, numRuns: 300 },
  );
});
