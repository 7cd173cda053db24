import type { SparseBlock } from '@brezel/core';

/**
 * Counts columns row by row, distinct and in order of first occurrence. Its hash table is as large as the row needs, not as the dictionary is:
 * it stays in the first-level cache. Arrays are scratch; `finish` copies.
 */
export class ColumnCounter {
  #ids = new Uint32Array(1024);
  #counts = new Uint32Array(1024);
  #size = 0;
  /** Entry + 1, by hashed column; 0: free. */
  #slots = new Int32Array(2048);

  start(): void {
    this.#size = 0;
  }

  /** Adds a row in which these columns occur. Returns the entries of all rows so far. */
  addRow(columns: Int32Array, occurrences: number): number {
    const bits = Math.max(4, 34 - Math.clz32(occurrences)); // at most a quarter full
    this.#reserve(this.#size + occurrences, 1 << bits);
    const shift = 32 - bits;
    const mask = (1 << bits) - 1;
    const ids = this.#ids;
    const counts = this.#counts;
    const slots = this.#slots;
    slots.fill(0, 0, 1 << bits);
    let size = this.#size;
    for (let occurrence = 0; occurrence < occurrences; occurrence++) {
      const column = columns[occurrence]!;
      let slot = Math.imul(column, 0x9e3779b1) >>> shift;
      let entry = slots[slot]!;
      while (entry !== 0 && ids[entry - 1] !== column) {
        slot = (slot + 1) & mask;
        entry = slots[slot]!;
      }
      if (entry === 0) {
        ids[size] = column;
        counts[size] = 1;
        slots[slot] = ++size;
      } else {
        counts[entry - 1]!++;
      }
    }
    this.#size = size;
    return size;
  }

  /** The rows, in memory of their own. A value is the column's count, or 1 where `binary`. */
  finish(offsets: Uint32Array, columns: number, binary: boolean): SparseBlock {
    const counts = this.#counts;
    const values = new Float32Array(this.#size);
    for (let entry = 0; entry < values.length; entry++) values[entry] = binary ? 1 : counts[entry]!;
    const ids = this.#ids.slice(0, this.#size);
    return { kind: 'sparse', rows: offsets.length - 1, size: columns, offsets, ids, values };
  }

  #reserve(entries: number, slots: number): void {
    if (this.#slots.length < slots) this.#slots = new Int32Array(slots);
    if (this.#ids.length >= entries) return;
    const [ids, counts] = [this.#ids, this.#counts];
    this.#ids = new Uint32Array(entries * 2);
    this.#counts = new Uint32Array(entries * 2);
    this.#ids.set(ids);
    this.#counts.set(counts);
  }
}
