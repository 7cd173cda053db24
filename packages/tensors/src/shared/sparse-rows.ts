import type { SparseBlock } from '@brezel/core';

/**
 * Collects sparse rows, for reference kernels that do not know the size of their block in advance.
 */
export class SparseRows {
  readonly #size: number;
  readonly #offsets = [0];
  readonly #ids: number[] = [];
  readonly #values: number[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  /** Adds one row, with its entries in this order. */
  push(entries: Iterable<readonly [id: number, value: number]>): void {
    for (const [id, value] of entries) {
      this.#ids.push(id);
      this.#values.push(value);
    }
    this.#offsets.push(this.#ids.length);
  }

  finish(): SparseBlock {
    return {
      kind: 'sparse',
      rows: this.#offsets.length - 1,
      size: this.#size,
      offsets: Uint32Array.from(this.#offsets),
      ids: Uint32Array.from(this.#ids),
      values: Float32Array.from(this.#values),
    };
  }
}

/** Yields the entries of one row as pairs. */
export function* entriesOf(block: SparseBlock, row: number): Generator<readonly [id: number, value: number]> {
  for (let at = block.offsets[row]!; at < block.offsets[row + 1]!; at++) yield [block.ids[at]!, block.values[at]!];
}
