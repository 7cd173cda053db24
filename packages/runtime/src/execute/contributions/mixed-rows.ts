import { type Block, dense, type InputPort, type NumericArray, numericArray, strings } from '@brezel/core';

/** A value of a row that a mixture takes as a whole: a number, a text or a dictionary. */
export interface Field {
  /** Name of the input. */
  readonly name: string;
  /** Index of the input. */
  readonly input: number;
  /** Index of the value in the input. */
  readonly element: number;
  readonly isVector: boolean;
}

/** Returns the fields of a row, without inputs that the plan does not read. */
export const fieldsOf = (inputs: readonly InputPort[], blocks: readonly Block[]): Field[] =>
  inputs.flatMap(({ name, type, unused }, input) => {
    if (unused) return [];
    const block = blocks[input]!;
    const isVector = type.kind !== 'scalar' && type.kind !== 'dictionary';
    return Array.from({ length: 'size' in block ? block.size : 1 }, (_, element) => ({
      name,
      input,
      element,
      isVector,
    }));
  });

/**
 * Mixtures of a row and another row. In a mixture, some fields have their value in the row, and all
 * others their value in the other row.
 */
export class MixedRows {
  /** The indices of the fields that differ between the two rows. */
  readonly differing: readonly number[];
  readonly #row: readonly Block[];
  readonly #other: readonly Block[];
  readonly #fields: readonly Field[];

  constructor(row: readonly Block[], other: readonly Block[], fields: readonly Field[]) {
    this.#row = row;
    this.#other = other;
    this.#fields = fields;
    this.differing = [...fields.keys()].filter((at) => {
      const { input, element } = fields[at]!;
      return !Object.is(valueIn(row[input]!, element), valueIn(other[input]!, element));
    });
  }

  /** The number of all fields, which also counts equal values. */
  get fields(): number {
    return this.#fields.length;
  }

  /**
   * Returns the blocks of several mixtures.
   *
   * @param isOfRow for each mixture and each differing field: 1 if the field has its value in the
   * row
   */
  blocks(isOfRow: Uint8Array): Block[] {
    const width = this.differing.length;
    const rows = isOfRow.length / width;
    const blocks = this.#other.map((block) => repeated(block, rows));
    this.differing.forEach((field, at) => {
      const { input, element } = this.#fields[field]!;
      const values = (blocks[input] as { values: NumericArray | unknown[] }).values as unknown[];
      const size = values.length / rows;
      const value = valueIn(this.#row[input]!, element);
      for (let row = 0; row < rows; row++) if (isOfRow[row * width + at] === 1) values[row * size + element] = value;
    });
    return blocks;
  }
}

const valueIn = (block: Block, element: number): unknown =>
  (block as { readonly values: ArrayLike<unknown> }).values[element];

/** Returns a block that repeats a block of one row. */
function repeated(block: Block, rows: number): Block {
  if (block.kind === 'dense') {
    const values = numericArray(block.dtype, rows * block.size);
    for (let row = 0; row < rows; row++) values.set(block.values as never, row * block.size);
    return dense(block.dtype, rows, block.size, values);
  }
  const { values } = block as { readonly values: readonly unknown[] };
  const copies = Array.from({ length: rows * values.length }, (_, at) => values[at % values.length]);
  if (block.kind === 'strings') return strings(rows, block.size, copies as string[]);
  return { ...block, rows, values: copies } as Block;
}
