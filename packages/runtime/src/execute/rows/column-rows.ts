import { dtypeOf, type InputPort, printType, type Row, sizeOf } from '@brezel/core';
import { runtimeError } from '../../errors.js';
import type { RowList } from './copied-rows.js';
import { dictionaryOf } from './dictionaries.js';
import { describe, integerElement, numberElement, textElement } from './elements.js';
import { readError } from './row-errors.js';
import { inputPlace } from './row-place.js';
import { admit, type Column, hasInput, type NumberColumn, type RowSchema, wideColumn } from './row-schema.js';

type Numbers = Float64Array | Int32Array | BigInt64Array;
type Given = Numbers | readonly unknown[];

/**
 * The rows of `predictColumns`: one array for each input. The constructor checks the names, kinds
 * and lengths of the arrays. Each element is checked when its row is read, so the event loop never
 * waits for a scan of a whole column.
 */
export class ColumnRows implements RowList {
  readonly length: number;
  readonly #inputs: readonly InputPort[];
  /**
   * The arrays in the order of the inputs. An entry is undefined if the caller omitted the column.
   */
  readonly #given: readonly (Given | undefined)[];

  /** @throws ERR_RUNTIME_INPUT with the column that does not match the inputs of the plan. */
  constructor(schema: RowSchema, columns: unknown) {
    this.#inputs = schema.inputs;
    this.#given = givenColumns(schema, columns);
    this.length = commonRows(schema.inputs, this.#given);
  }

  /** Returns rows as objects, for engines and features that read one row. */
  slice(from: number, to: number): Row[] {
    return Array.from({ length: to - from }, (_, row) => {
      const fields: Record<string, unknown> = {};
      for (const [input, port] of this.#inputs.entries()) {
        const given = this.#given[input];
        if (given !== undefined) fields[port.name] = rowValue(port, given, from + row);
      }
      return fields;
    });
  }

  /**
   * Checks the rows from index `from` up to `to`, and returns them as new columns. `first` is the
   * index of row `from` in the request.
   */
  columns({ inputs }: RowSchema, from: number, to: number, first: number): Column[] {
    return inputs.map((port, input) => {
      const given = this.#given[input];
      if (port.unused || given === undefined) return emptyColumn(port, to - from);
      let row = from;
      try {
        const size = sizeOf(port.type);
        if (given.length < to * size) throw changedColumn(port, given, to);
        if (!Array.isArray(given)) return numbersOf(port, given as Numbers, { from, to, first });
        const values: unknown[] = new Array((to - from) * size);
        for (; row < to; row++)
          for (let element = 0; element < size; element++)
            values[(row - from) * size + element] = valueElement(port, given[row * size + element], () =>
              inputPlace(first + row - from, port.name, port.type.kind === 'scalar' ? undefined : element),
            );
        return values as Column;
      } catch (error) {
        throw readError(error, first + row - from);
      }
    });
  }
}

/**
 * Checks the rows from index `from` up to `to`, and returns them as new columns. Recognizes columns
 * by their class, because an array of the caller may have a property `columns`.
 */
export const columnsOfRows = (schema: RowSchema, rows: RowList, from: number, to: number, first: number): Column[] =>
  rows instanceof ColumnRows ? rows.columns(schema, from, to, first) : admit(schema, rows.slice(from, to), first);

/** Returns the caller's arrays in the order of the inputs. */
function givenColumns(schema: RowSchema, columns: unknown): (Given | undefined)[] {
  const { inputs, ignoresExtraFields } = schema;
  if (inputs.length === 1 && isColumn(columns)) return [checkedColumn(inputs[0]!, columns)];
  if (typeof columns !== 'object' || columns === null || isColumn(columns))
    throw runtimeError('ERR_RUNTIME_INPUT', {
      expected: `an object of columns with ${inputs.map(({ name }) => name).join(', ')}`,
      received: describe(columns),
      at: 'columns',
    });
  const fields = columns as Readonly<Record<string, unknown>>;
  for (const name in fields) {
    if (ignoresExtraFields || hasInput(inputs, name)) continue;
    throw runtimeError('ERR_RUNTIME_INPUT', {
      received: `an extra column "${name}"`,
      at: `column "${name}"`,
      input: name,
      hint: `the plan takes ${inputs.map((port) => `"${port.name}"`).join(', ')}; leave other columns out`,
    });
  }
  return inputs.map((port) => checkedColumn(port, fields[port.name]));
}

/** Checks the kind and the length of one column. */
function checkedColumn(port: InputPort, given: unknown): Given | undefined {
  if (given === undefined && (port.unused || port.missing === true)) return undefined;
  const isList = dtypeOf(port.type) === 'string' || port.type.kind === 'dictionary';
  const isRight = isList ? Array.isArray(given) : isColumn(given) && !Array.isArray(given);
  if (!isRight) {
    const expected = isList
      ? `an array of ${port.type.kind === 'dictionary' ? 'objects or Maps' : 'texts'}`
      : 'a typed array of numbers';
    const received = given === undefined ? 'nothing' : Array.isArray(given) ? 'an Array' : kindOf(given);
    throw runtimeError('ERR_RUNTIME_INPUT', { expected, received, ...columnPlace(port) });
  }
  const { length } = given as Given;
  const size = sizeOf(port.type);
  if (length % size === 0) return given as Given;
  throw runtimeError('ERR_RUNTIME_INPUT', {
    expected: `${size} elements for each row (${printType(port.type)})`,
    received: `${length} elements`,
    ...columnPlace(port),
  });
}

/** Returns the number of rows, which is the same in all columns. */
function commonRows(inputs: readonly InputPort[], given: readonly (Given | undefined)[]): number {
  let first: { readonly rows: number; readonly name: string } | undefined;
  for (const [input, port] of inputs.entries()) {
    const column = given[input];
    if (column === undefined) continue;
    const rows = column.length / sizeOf(port.type);
    first ??= { rows, name: port.name };
    if (rows === first.rows) continue;
    throw runtimeError('ERR_RUNTIME_INPUT', {
      expected: `${first.rows} rows, as in column "${first.name}"`,
      received: `${rows} rows`,
      ...columnPlace(port),
    });
  }
  if (first !== undefined) return first.rows;
  throw runtimeError('ERR_RUNTIME_INPUT', {
    expected: 'a column of at least one input, which gives the number of rows',
    received: 'no column',
    at: 'columns',
  });
}

const columnPlace = ({ name }: InputPort) => ({ at: `column "${name}"`, input: name });

/**
 * Returns the error for an array that the caller or another thread made shorter after the start of
 * the call.
 */
const changedColumn = (port: InputPort, given: Given, rows: number) =>
  runtimeError('ERR_RUNTIME_INPUT', {
    expected: `at least ${rows * sizeOf(port.type)} elements`,
    received: `${given.length} elements`,
    ...columnPlace(port),
    hint: 'do not change a column before the call has its answers',
  });

const isColumn = (value: unknown): value is Given =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));

const kindOf = (value: unknown): string =>
  isColumn(value) ? `a ${(value as object).constructor.name}` : describe(value);

/**
 * Returns the column of an input that the caller omitted: NaN for missing numbers. If no operator
 * reads the input, its values do not matter.
 */
function emptyColumn({ type, unused }: InputPort, rows: number): Column {
  const length = rows * sizeOf(type);
  if (dtypeOf(type) === 'string') return new Array<string>(length);
  return unused ? new Float64Array(length) : new Float64Array(length).fill(Number.NaN);
}

const valueElement = ({ type }: InputPort, value: unknown, place: Parameters<typeof textElement>[1]): unknown =>
  type.kind === 'dictionary' ? dictionaryOf(type, value, place) : textElement(value, place);

function rowValue({ type }: InputPort, given: Given, row: number): unknown {
  const size = sizeOf(type);
  if (type.kind === 'scalar' || type.kind === 'dictionary') return given[row];
  return given.slice(row * size, (row + 1) * size);
}

/**
 * Returns the name of the class of a typed array, for example "Int8Array". For a subclass, returns
 * the name of the built-in class.
 */
const arrayKind = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Int8Array.prototype), Symbol.toStringTag)!
  .get as (this: Numbers) => string;

const smallIntegers = ['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array'];

/**
 * For each element type, the typed arrays that can hold only valid elements. The elements of other
 * arrays are checked one by one.
 */
const validArrays: Readonly<Record<string, ReadonlySet<string>>> = {
  float32: new Set([...smallIntegers, 'Uint32Array', 'Float16Array', 'Float32Array', 'Float64Array']),
  float64: new Set([...smallIntegers, 'Uint32Array', 'Float16Array', 'Float32Array', 'Float64Array']),
  int64: new Set([...smallIntegers, 'Uint32Array']),
  int32: new Set(smallIntegers),
};

interface RowRange {
  readonly from: number;
  readonly to: number;
  /** Index of row `from` in the request, for error messages. */
  readonly first: number;
}

/** Copies the numbers of some rows, and checks them if their array can hold invalid values. */
function numbersOf(port: InputPort, given: Numbers, { from, to, first }: RowRange): Column {
  const size = sizeOf(port.type);
  const dtype = dtypeOf(port.type);
  const numbers = given.subarray(from * size, to * size);
  if (numbers.length !== (to - from) * size) throw changedColumn(port, given, to);
  if (validArrays[dtype]?.has(arrayKind.call(numbers))) return new Float64Array(numbers as Float64Array);
  let column: NumberColumn = new Float64Array(numbers.length);
  let index = 0;
  const place = (element?: number) => inputPlace(first + Math.floor(index / size), port.name, element);
  for (; index < numbers.length; index++) {
    const element = port.type.kind === 'scalar' ? undefined : index % size;
    const value =
      dtype === 'int64'
        ? integerElement(numbers[index], place, element)
        : numberElement(numbers[index], dtype, place, element);
    if (typeof value === 'bigint') column = wideColumn(column);
    if (column instanceof BigInt64Array) column[index] = BigInt(value);
    else column[index] = value as number;
  }
  return column;
}
