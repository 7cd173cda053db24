import { type ReferenceKernel, RowError, type StringBlock, sizeOf, strings } from '@brezel/core';

/**
 * A result with more than this many bytes rejects its row. Without this limit, a program that
 * doubles a text repeatedly would run out of memory.
 */
const MOST_BYTES = 2 ** 28;
const BYTES_OF_A_UNIT = 3;

/** Appends the text of the second input to the text of the first input. */
export const reference: ReferenceKernel = ({ rows, inputs, type }) => {
  const size = sizeOf(type);
  const [left, right] = inputs as readonly [StringBlock, StringBlock];
  const text = (block: StringBlock, row: number, column: number) =>
    block.values[row * block.size + (block.size === 1 ? 0 : column)]!;
  const values = Array.from({ length: rows * size }, (_, at) => {
    const [row, column] = [Math.floor(at / size), at % size];
    const joined = text(left, row, column) + text(right, row, column);
    if (isTooLong(joined)) throw new RowError(row, { received: 'a text of more than 268,435,456 bytes' });
    return joined;
  });
  return strings(rows, size, values);
};

const isTooLong = (text: string) => text.length * BYTES_OF_A_UNIT > MOST_BYTES && Buffer.byteLength(text) > MOST_BYTES;
