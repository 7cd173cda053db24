import { type DenseBlock, dense, type SparseBlock } from '@brezel/core';
import fc from 'fast-check';

export const float32 = fc.oneof(
  fc.float({ noNaN: true, min: -1000, max: 1000 }),
  fc.constantFrom(0, -0, 1e-45, -1e-38, 3e38, -3e38),
);

export const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array) =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Returns random blocks of `rows` rows, sparse or dense, of 1 to 50 columns. */
export function vectors(rows: number): fc.Arbitrary<SparseBlock | DenseBlock<'float32'>> {
  return fc.integer({ min: 1, max: 50 }).chain((size) => {
    const length = rows * size;
    const full = fc
      .array(float32, { minLength: length, maxLength: length })
      .map((values) => dense('float32', rows, size, Float32Array.from(values)));
    const row = fc.uniqueArray(fc.tuple(fc.nat(size - 1), float32), {
      selector: ([id]) => id,
      maxLength: size,
      size: 'max',
    });
    const csr = fc.array(row, { minLength: rows, maxLength: rows }).map((entries): SparseBlock => {
      const offsets = new Uint32Array(rows + 1);
      entries.forEach(({ length }, at) => {
        offsets[at + 1] = offsets[at]! + length;
      });
      const ids = Uint32Array.from(entries.flat(), ([id]) => id);
      const values = Float32Array.from(entries.flat(), ([, value]) => value);
      return { kind: 'sparse', rows, size, offsets, ids, values };
    });
    return fc.oneof(full, csr);
  });
}

/** Returns the entries of one row in order: [column, value]. */
export function entriesOf(block: SparseBlock | DenseBlock, row: number): [column: number, value: number][] {
  if (block.kind === 'dense') {
    return Array.from({ length: block.size }, (_, column) => [column, Number(block.values[row * block.size + column])]);
  }
  const [first, end] = [block.offsets[row]!, block.offsets[row + 1]!];
  return Array.from({ length: end - first }, (_, at) => [block.ids[first + at]!, block.values[first + at]!]);
}
