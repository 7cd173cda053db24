import type { SparseBlock } from '@brezel/core';
import type { DictionaryReader } from '@brezel/text';
import { reserveCells } from './arena.js';

/**
 * For dictionaries with at most this many columns, `ColumnCounter` has one counter for each column.
 * The counters (256 KiB) fit in the second-level cache. With more columns, it uses a hash table.
 */
const COUNTED_COLUMNS = 1 << 16;

/**
 * Counts how often each column of a dictionary occurs in a row. In the result, columns have the
 * order of their first occurrence. The size of the hash table depends on the row and not on the
 * dictionary, so that the table stays in the first-level cache. All arrays are scratch memory;
 * `finish` copies the result.
 */
export class ColumnCounter {
  #ids = new Int32Array(1024);
  #values = new Float32Array(1024);
  #size = 0;
  /** Index of the current row's first entry in `#ids` and `#values`. */
  #first = 0;
  /**
   * Element `column + 1` counts the occurrences of `column`. Element 0 counts dictionary nodes
   * without a column, and starts at 1, so that such a node never looks like a new column. All other
   * elements are 0 between rows.
   */
  #counters = new Int32Array(0);
  /**
   * Whether a row is being counted. If the value is true at the start of a row, the previous row
   * has failed because memory was short.
   */
  #isInRow = false;
  /** The columns of the current row. `endRow` counts them with the hash table. */
  #columns = new Int32Array(1024);
  /**
   * The hash table. An element is the number of the row's entry for a column, counted from 1, or 0
   * if the element is free.
   */
  #slots = new Int32Array(2048);
  /**
   * For each entry of the row: how often its column has occurred. The numbers in `#slots` are
   * indexes of this array.
   */
  #counts = new Int32Array(1024);
  #occurrences = 0;
  /** Whether each occurrence is an entry, so that columns repeat and nothing is counted. */
  #lists = false;

  /** @param lists whether to list each occurrence instead of counting. */
  start(lists: boolean): void {
    this.#size = 0;
    this.#lists = lists;
  }

  /**
   * Starts a row with at most `occurrences` occurrences of columns. `columns` is the number of
   * columns of the dictionary.
   */
  startRow(occurrences: number, columns: number): void {
    const entries = this.#size + occurrences + 1; // the loop writes one entry past the end
    this.#first = this.#size;
    this.#occurrences = 0;
    if (!this.#lists && columns > COUNTED_COLUMNS) this.#reserveHashed(occurrences);
    else if (!this.#lists) this.#reserveCounters(columns);
    if (this.#ids.length >= entries) return;
    const values = new Float32Array(entries * 2);
    const ids = new Int32Array(entries * 2);
    values.set(this.#values);
    ids.set(this.#ids);
    this.#values = values;
    this.#ids = ids;
  }

  #reserveHashed(occurrences: number): void {
    if (this.#columns.length > occurrences) return;
    this.#counts = new Int32Array(occurrences * 2);
    // last, because an earlier allocation may throw
    this.#columns = new Int32Array(occurrences * 2);
  }

  #reserveCounters(columns: number): void {
    if (this.#counters.length <= columns) this.#counters = new Int32Array(columns + 1);
    else if (this.#isInRow) this.#counters.fill(0);
    this.#counters[0] = 1;
    this.#isInRow = true;
  }

  /** Counts the columns of some dictionary nodes that occur in the row. */
  add(dictionary: DictionaryReader, nodes: Int32Array, count: number): void {
    if (this.#lists) this.#size = writeColumns(dictionary, nodes, count, this.#ids, this.#size);
    else if (dictionary.columns <= COUNTED_COLUMNS) this.#countColumns(dictionary, nodes, count);
    else this.#collectColumns(dictionary, nodes, count);
  }

  /** Ends a row. Returns the number of entries of all rows so far. */
  endRow(columns: number): number {
    if (this.#lists) return this.#size;
    if (columns <= COUNTED_COLUMNS) this.#readCounters();
    else this.#hashColumns();
    return this.#size;
  }

  /**
   * Returns a copy of all rows as a sparse block. A value is the count of its column, or 1 if
   * `ones`.
   */
  finish(offsets: Uint32Array, columns: number, ones: boolean): SparseBlock {
    const size = this.#size;
    const { buffer, start } = reserveCells(size * 2);
    const ids = new Uint32Array(buffer, start, size);
    const values = new Float32Array(buffer, start + size * 4, size);
    ids.set(this.#ids.subarray(0, size));
    if (ones) values.fill(1);
    else values.set(this.#values.subarray(0, size));
    return { kind: 'sparse', rows: offsets.length - 1, size: columns, offsets, ids, values };
  }

  /**
   * Counts columns without a branch, because a processor cannot predict whether a column is new.
   * Each round of the loop handles four nodes, because V8 reads the length and address of every
   * array again in each round of a loop.
   */
  #countColumns(dictionary: DictionaryReader, nodes: Int32Array, count: number): void {
    const { columns } = dictionary;
    const counters = this.#counters;
    const ids = this.#ids;
    let size = this.#size;
    let at = 0;
    for (; at + 3 < count; at += 4) {
      let column0 = nodes[at]!;
      let column1 = nodes[at + 1]!;
      let column2 = nodes[at + 2]!;
      let column3 = nodes[at + 3]!;
      if (column0 >= columns) column0 = dictionary.columnOf(column0);
      if (column1 >= columns) column1 = dictionary.columnOf(column1);
      if (column2 >= columns) column2 = dictionary.columnOf(column2);
      if (column3 >= columns) column3 = dictionary.columnOf(column3);
      const count0 = counters[column0 + 1]!;
      counters[column0 + 1] = count0 + 1;
      ids[size] = column0; // the next column overwrites it if this column is not new
      size = (size + ((count0 - 1) >>> 31)) | 0;
      const count1 = counters[column1 + 1]!;
      counters[column1 + 1] = count1 + 1;
      ids[size] = column1;
      size = (size + ((count1 - 1) >>> 31)) | 0;
      const count2 = counters[column2 + 1]!;
      counters[column2 + 1] = count2 + 1;
      ids[size] = column2;
      size = (size + ((count2 - 1) >>> 31)) | 0;
      const count3 = counters[column3 + 1]!;
      counters[column3 + 1] = count3 + 1;
      ids[size] = column3;
      size = (size + ((count3 - 1) >>> 31)) | 0;
    }
    for (; at < count; at++) {
      const column = dictionary.columnOf(nodes[at]!);
      const seen = counters[column + 1]!;
      counters[column + 1] = seen + 1;
      ids[size] = column;
      size = (size + ((seen - 1) >>> 31)) | 0;
    }
    this.#size = size;
  }

  #readCounters(): void {
    const counters = this.#counters;
    const ids = this.#ids;
    const values = this.#values;
    const size = this.#size;
    let entry = this.#first;
    for (; entry + 3 < size; entry += 4) {
      const at0 = ids[entry]! + 1;
      const at1 = ids[entry + 1]! + 1;
      const at2 = ids[entry + 2]! + 1;
      const at3 = ids[entry + 3]! + 1;
      values[entry] = counters[at0]!;
      values[entry + 1] = counters[at1]!;
      values[entry + 2] = counters[at2]!;
      values[entry + 3] = counters[at3]!;
      counters[at0] = 0;
      counters[at1] = 0;
      counters[at2] = 0;
      counters[at3] = 0;
    }
    for (; entry < size; entry++) {
      const at = ids[entry]! + 1;
      values[entry] = counters[at]!;
      counters[at] = 0;
    }
    this.#isInRow = false;
  }

  #collectColumns(dictionary: DictionaryReader, nodes: Int32Array, count: number): void {
    this.#occurrences = writeColumns(dictionary, nodes, count, this.#columns, this.#occurrences);
  }

  #hashColumns(): void {
    const occurrences = this.#occurrences;
    // at most a quarter of the table is used
    const bits = Math.max(4, 34 - Math.clz32(occurrences));
    if (this.#slots.length < 1 << bits) this.#slots = new Int32Array(1 << bits);
    const shift = 32 - bits;
    const mask = (1 << bits) - 1;
    const columns = this.#columns;
    const counts = this.#counts;
    const ids = this.#ids;
    const slots = this.#slots;
    slots.fill(0, 0, 1 << bits);
    const before = this.#first - 1;
    let entries = 0;
    for (let occurrence = 0; occurrence < occurrences; occurrence++) {
      const column = columns[occurrence]!;
      let slot = Math.imul(column, 0x9e3779b1) >>> shift;
      let entry = slots[slot]!;
      while (entry !== 0 && ids[before + entry] !== column) {
        slot = (slot + 1) & mask;
        entry = slots[slot]!;
      }
      if (entry === 0) {
        entry = ++entries;
        slots[slot] = entry;
        ids[before + entry] = column;
        counts[entry] = 1;
      } else {
        counts[entry]!++;
      }
    }
    const values = this.#values;
    for (let entry = 1; entry <= entries; entry++) values[before + entry] = counts[entry]!;
    this.#size = this.#first + entries;
  }
}

/**
 * Writes the columns of nodes to `columns` from index `end` on. Returns the index after the last
 * column.
 */
function writeColumns(
  dictionary: DictionaryReader,
  nodes: Int32Array,
  count: number,
  columns: Int32Array,
  end: number,
): number {
  for (let at = 0; at < count; at++) {
    const column = dictionary.columnOf(nodes[at]!);
    columns[end] = column;
    // After NONE (a node without a column), `end` stays, so that the next column overwrites NONE.
    // The code has no branch, because a processor cannot predict NONE.
    end = (end + ((column >>> 31) ^ 1)) | 0;
  }
  return end;
}
