import {
  type Answer,
  type AnswerColumn,
  type AnswerColumns,
  type AnswerValue,
  type Block,
  dtypeOf,
  int64Of,
  type NumericDType,
  numericArray,
  type OutputPort,
} from '@brezel/core';
import type { AnswerShape, Collect, Collector } from './answer-sink.js';
import { answerFromBlocks, type RowValues } from './answers.js';

type Numbers = Float64Array | Float32Array | Int32Array | Uint8Array;

/**
 * The column of one output. Its methods write the answers of some rows; `at` is the index of the
 * first of these rows.
 */
interface OutputColumn {
  readonly column: AnswerColumn;
  fromNumbers(numbers: Float64Array, width: number, rows: number, at: number): void;
  fromBlock(block: Block, rows: number, at: number): void;
  fromAnswer(value: AnswerValue, at: number): void;
}

/** Collects answers in one array for each output, without an object for each row. */
class CollectedColumns implements Collector<AnswerColumns> {
  readonly result: AnswerColumns;
  readonly #names: readonly string[];
  readonly #columns: readonly OutputColumn[];
  readonly #width: number;

  constructor({ outputs, width }: AnswerShape, rows: number) {
    this.#width = width;
    this.#names = outputs.map(({ name }) => name);
    this.#columns = outputs.map((port) => outputColumn(port, rows));
    this.result = Object.fromEntries(this.#columns.map(({ column }, output) => [this.#names[output]!, column]));
  }

  take(values: RowValues, rows: number, at: number): void {
    for (let output = 0; output < this.#columns.length; output++) {
      const column = this.#columns[output]!;
      if (values instanceof Float64Array) column.fromNumbers(values, this.#width, rows, at);
      else column.fromBlock(values[output]!, rows, at);
    }
  }

  put(row: number, answer: Answer): void {
    for (let output = 0; output < this.#columns.length; output++)
      this.#columns[output]!.fromAnswer(answer[this.#names[output]!]!, row);
  }
}

/**
 * Returns a function that creates a collector for the answers of a plan: one column for each
 * output.
 */
export const answerColumns =
  (plan: AnswerShape): Collect<AnswerColumns> =>
  (rows) =>
    new CollectedColumns(plan, rows);

function outputColumn(port: OutputPort, rows: number): OutputColumn {
  const { kind } = port.type;
  if (kind === 'tokens' || kind === 'dictionary') return valueColumn(port, rows);
  const dtype = dtypeOf(port.type);
  if (dtype === 'string') return textColumn(port, rows);
  if (dtype === 'int64') return integerColumn(port, rows);
  return numberColumn(port, rows, dtype);
}

function numberColumn(port: OutputPort, rows: number, dtype: Exclude<NumericDType, 'int64'>): OutputColumn {
  const { offset, length } = port;
  const column: Numbers = numericArray(dtype, rows * length);
  return {
    column,
    fromNumbers(numbers, width, count, at) {
      if (width === length) return column.set(numbers.subarray(0, count * width), at * length);
      let to = at * length;
      for (let row = 0; row < count; row++) {
        const from = row * width + offset;
        for (let index = 0; index < length; index++) column[to++] = numbers[from + index]!;
      }
    },
    fromBlock(block, count, at) {
      if (block.kind === 'sparse') writeSparse(block, count, column, at);
      else column.set((block as { values: Numbers }).values.subarray(0, count * length), at * length);
    },
    fromAnswer(value, at) {
      column.set(elementsOf(port, value).map(Number), at * length);
    },
  };
}

function integerColumn(port: OutputPort, rows: number): OutputColumn {
  const { offset, length } = port;
  const column = new BigInt64Array(rows * length);
  return {
    column,
    fromNumbers(numbers, width, count, at) {
      let to = at * length;
      for (let row = 0; row < count; row++) {
        const from = row * width + offset;
        for (let index = 0; index < length; index++) column[to++] = int64Of(numbers[from + index]!);
      }
    },
    fromBlock(block, count, at) {
      column.set((block as { values: BigInt64Array }).values.subarray(0, count * length), at * length);
    },
    fromAnswer(value, at) {
      column.set((elementsOf(port, value) as (number | bigint)[]).map(int64Of), at * length);
    },
  };
}

function textColumn(port: OutputPort, rows: number): OutputColumn {
  const { offset, length, labels } = port;
  const column = new Array<string>(rows * length);
  const write = (texts: readonly string[], count: number, at: number) => {
    for (let index = 0; index < count * length; index++) column[at * length + index] = texts[index]!;
  };
  return {
    column,
    fromNumbers(numbers, width, count, at) {
      let to = at * length;
      for (let row = 0; row < count; row++) {
        const from = row * width + offset;
        for (let index = 0; index < length; index++) column[to++] = labels![numbers[from + index]!]!;
      }
    },
    fromBlock: (block, count, at) => write((block as { values: readonly string[] }).values, count, at),
    fromAnswer: (value, at) => write(elementsOf(port, value) as string[], 1, at),
  };
}

/**
 * Creates the column of an output whose values have no fixed size, such as tokens: a list with one
 * value for each row.
 */
function valueColumn(port: OutputPort, rows: number): OutputColumn {
  const column = new Array<AnswerValue>(rows);
  return {
    column,
    fromNumbers() {
      // The addon does not compute such values.
      throw new TypeError(`output "${port.name}" has no numbers`);
    },
    fromBlock(block, count, at) {
      for (let row = 0; row < count; row++) column[at + row] = answerFromBlocks([port], [block], row)[port.name]!;
    },
    fromAnswer(value, at) {
      column[at] = value;
    },
  };
}

/** Writes rows of a sparse block. The column already holds zeros. */
function writeSparse(block: Extract<Block, { kind: 'sparse' }>, rows: number, column: Numbers, at: number): void {
  for (let row = 0; row < rows; row++)
    for (let entry = block.offsets[row]!; entry < block.offsets[row + 1]!; entry++)
      column[(at + row) * block.size + block.ids[entry]!] = block.values[entry]!;
}

/** Returns the elements of one value of an answer, in row-major order. */
function elementsOf({ type }: OutputPort, value: AnswerValue): unknown[] {
  if (type.kind === 'map') return type.keys.map((key) => (value as Readonly<Record<string, number>>)[key]);
  return Array.isArray(value) ? (value as unknown[]).flat(Number.POSITIVE_INFINITY) : [value];
}
