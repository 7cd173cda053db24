import { type Dictionary, dtypeOf, type InputPort, printType, type Row, sizeOf, type ValueType } from '@brezel/core';
import { runtimeError } from '../../errors.js';
import { dictionaryOf } from './dictionaries.js';
import { describe, integerElement, isOf, numberElement, textElement } from './elements.js';
import { missingRow, readError } from './row-errors.js';
import { inputPlace, type PlaceOf, rowPlace } from './row-place.js';

export type { Row } from '@brezel/core';

/**
 * The values of one input for all rows: strings (or UTF-8 bytes), dictionaries, or numbers in
 * row-major order. An int64 column is a BigInt64Array only if float64 cannot hold one of its
 * integers, because numbers can be written into a Float64Array without conversion.
 */
export type Column = (string | Uint8Array)[] | Dictionary[] | NumberColumn;

export type NumberColumn = Float64Array | BigInt64Array;

/** The inputs of a plan, and whether a row may have other fields. */
export interface RowSchema {
  readonly inputs: readonly InputPort[];
  readonly ignoresExtraFields?: boolean;
}

/**
 * Checks rows against the schema of a plan and converts them to columns.
 *
 * @param first index of the first row in the request, for error messages
 * @throws ERR_RUNTIME_INPUT with the row and the field, if a field is missing, null, unknown, or
 * has the wrong type or size.
 */
export function admit(schema: RowSchema, rows: readonly Row[], first = 0): Column[] {
  const { length } = rows;
  const columns = schema.inputs.map((port) => emptyColumn(port, length));
  let index = 0;
  try {
    // by index, because forEach skips holes
    for (; index < length; index++) admitRow(schema, rows[index]!, index, first, columns);
  } catch (error) {
    throw readError(error, first + index);
  }
  return columns;
}

/**
 * Checks one row as `admit` does, but overwrites the columns of an earlier row. Reusing columns is
 * faster than allocating them.
 */
export function admitInto(schema: RowSchema, row: Row, columns: Column[]): void {
  admitRow(schema, row, 0, 0, columns);
}

function emptyColumn(port: InputPort, rows: number): Column {
  const size = sizeOf(port.type);
  return dtypeOf(port.type) === 'string' ? new Array<string>(rows * size) : new Float64Array(rows * size);
}

function admitRow(schema: RowSchema, row: Row, index: number, first: number, columns: Column[]): void {
  const { inputs } = schema;
  if (isVectorRow(inputs, row)) {
    if (!inputs[0]!.unused) columns[0] = admitValue(inputs[0]!, row, index, first, columns[0]!);
    return;
  }
  const fields = rowFields(schema, row, first + index);
  for (let at = 0; at < inputs.length; at++) {
    const port = inputs[at]!;
    if (port.unused) continue; // the column of an unused input stays empty
    const value = fields[port.name];
    if (!writeScalar(port, value, index, columns[at]!))
      columns[at] = admitValue(port, value, index, first, columns[at]!);
  }
}

/**
 * Writes a value into a column if it is a valid scalar, and returns whether it is. Scalars are
 * frequent, so this function allocates no memory.
 */
function writeScalar({ type }: InputPort, value: unknown, row: number, column: Column): boolean {
  if (type.kind !== 'scalar') return false;
  const fits =
    type.dtype === 'string' ? typeof value === 'string' : typeof value === 'number' && isOf(value, type.dtype);
  if (!fits || column instanceof BigInt64Array) return false;
  column[row] = value as never;
  return true;
}

/**
 * Writes a value into a column. Returns this column, or a new BigInt64Array if only such a column
 * can hold the value.
 */
function admitValue(port: InputPort, value: unknown, index: number, first: number, column: Column): Column {
  const place = (element?: number) => inputPlace(first + index, port.name, element);
  if (value === undefined || value === null) {
    if (port.missing === true) {
      const size = sizeOf(port.type);
      return (column as Float64Array).fill(Number.NaN, index * size, (index + 1) * size);
    }
    throw runtimeError('ERR_RUNTIME_INPUT', {
      expected: printType(port.type),
      received: value === null ? 'null' : 'nothing',
      ...place(),
    });
  }
  if (port.type.kind !== 'dictionary') return writeValue(port, value, index, column, place);
  (column as Dictionary[])[index] = dictionaryOf(port.type, value, place);
  return column;
}

/**
 * Returns whether a row is a list and the plan has only one input, a vector or a tensor. The list
 * is then the value of this input, and not an object with fields.
 */
export function isVectorRow(inputs: readonly InputPort[], row: Row): boolean {
  if (inputs.length !== 1 || !isList(row)) return false;
  const { kind } = inputs[0]!.type;
  return kind === 'vector' || kind === 'tensor';
}

/** Up to this number of inputs, a loop over the inputs is faster than a Set of their names. */
const FEW_INPUTS = 8;

/** The names of the inputs of plans with more than `FEW_INPUTS` inputs. */
const namesOfInputs = new WeakMap<readonly InputPort[], ReadonlySet<string>>();

/**
 * Returns whether the plan has this input. For few inputs, the function uses a loop and not `some`,
 * because a closure would allocate memory at every prediction.
 */
export function hasInput(inputs: readonly InputPort[], name: string): boolean {
  if (inputs.length > FEW_INPUTS) return (namesOfInputs.get(inputs) ?? rememberNames(inputs)).has(name);
  for (const port of inputs) if (port.name === name) return true;
  return false;
}

function rememberNames(inputs: readonly InputPort[]): ReadonlySet<string> {
  const names = new Set(inputs.map((port) => port.name));
  namesOfInputs.set(inputs, names);
  return names;
}

/** Returns the fields of a row. Throws if the row has a field that the schema does not have. */
export function rowFields(
  { inputs, ignoresExtraFields }: RowSchema,
  row: Row,
  index: number,
): Readonly<Record<string, unknown>> {
  if (typeof row === 'string') {
    if (inputs.length === 1) return { [inputs[0]!.name]: row };
    throw runtimeError('ERR_RUNTIME_INPUT', {
      expected: `an object with ${inputs.map((port) => port.name).join(', ')}`,
      received: 'a string',
      ...rowPlace(index),
    });
  }
  if (row === undefined) throw missingRow(index, 'an object');
  if (row === null || typeof row !== 'object' || isList(row)) {
    const expected = isList(row) ? `an object with ${inputs.map((port) => port.name).join(', ')}` : 'an object';
    throw runtimeError('ERR_RUNTIME_INPUT', { expected, received: describe(row), ...rowPlace(index) });
  }
  if (ignoresExtraFields) return row;
  for (const name in row) {
    if (hasInput(inputs, name)) continue;
    const hint = `the plan takes ${inputs.map((port) => `"${port.name}"`).join(', ')}; leave other fields out`;
    throw runtimeError('ERR_RUNTIME_INPUT', {
      received: `an extra field "${name}"`,
      ...rowPlace(index),
      input: name,
      hint,
    });
  }
  return row;
}

function writeValue(port: InputPort, value: unknown, row: number, column: Column, place: PlaceOf): Column {
  const size = sizeOf(port.type);
  const dtype = dtypeOf(port.type);
  const isScalar = port.type.kind === 'scalar';
  // A vector of one element may be passed without brackets.
  const list: ArrayLike<unknown> =
    isScalar || (size === 1 && (!isList(value) || (dtype === 'string' && value instanceof Uint8Array)))
      ? [value]
      : port.type.kind === 'tensor'
        ? flattened(value, port.type, place)
        : (value as ArrayLike<unknown>);
  if (!isList(list) || list.length !== size) {
    throw runtimeError('ERR_RUNTIME_INPUT', {
      expected: printType(port.type),
      received: isList(list) ? `${list.length} elements` : describe(value),
      ...place(),
    });
  }
  if (isFloats(list) && (dtype === 'float32' || dtype === 'float64')) {
    // numbers of every dtype are in a Float64Array here
    (column as Float64Array).set(list, row * size);
    return column;
  }
  if (dtype === 'int64') return writeIntegers(list, row * size, column as NumberColumn, place, isScalar);
  for (let element = 0; element < size; element++) {
    if (Array.isArray(column))
      (column as unknown[])[row * size + element] = textElement(list[element], place, isScalar ? undefined : element);
    else
      (column as Float64Array)[row * size + element] =
        isMissing(list[element]) && acceptsMissing(port, element)
          ? Number.NaN
          : numberElement(list[element], dtype, place, isScalar ? undefined : element);
  }
  return column;
}

/**
 * Writes integers into a column from index `first` on. Returns the column, or a BigInt64Array with
 * the same integers if float64 cannot hold all of them.
 */
function writeIntegers(
  list: ArrayLike<unknown>,
  first: number,
  column: NumberColumn,
  place: PlaceOf,
  isScalar: boolean,
): NumberColumn {
  let into = column;
  for (let element = 0; element < list.length; element++) {
    const integer = integerElement(list[element], place, isScalar ? undefined : element);
    if (typeof integer === 'bigint') into = wideColumn(into);
    if (into instanceof BigInt64Array) into[first + element] = BigInt(integer);
    else into[first + element] = integer as number;
  }
  return into;
}

/** Returns a column of integers as a BigInt64Array. */
export const wideColumn = (column: NumberColumn): BigInt64Array =>
  column instanceof BigInt64Array ? column : BigInt64Array.from(column, BigInt);

/**
 * Joins several columns of one input into one column. The result is a BigInt64Array if one of the
 * columns is a BigInt64Array.
 */
export function joinNumbers(parts: readonly NumberColumn[], length: number): NumberColumn {
  const isWide = parts.some((part) => part instanceof BigInt64Array);
  const joined = isWide ? new BigInt64Array(length) : new Float64Array(length);
  let at = 0;
  for (const part of parts) {
    if (joined instanceof BigInt64Array) joined.set(wideColumn(part), at);
    else joined.set(part as Float64Array, at);
    at += part.length;
  }
  return joined;
}

/**
 * Returns whether a value in a list is a missing number. JSON cannot represent NaN, so null and
 * 'NaN' also count.
 */
const isMissing = (value: unknown): boolean => value === null || value === undefined || value === 'NaN';

const acceptsMissing = ({ missing }: InputPort, element: number): boolean =>
  missing === true || missing?.[element] === true;

/**
 * Flattens nested lists to the depth of the shape. A flat row-major list of all elements stays
 * unchanged.
 */
function flattened(value: unknown, type: Extract<ValueType, { kind: 'tensor' }>, place: PlaceOf): ArrayLike<unknown> {
  // Bytes are a text, not a list.
  const isAxis = (one: unknown): one is ArrayLike<unknown> =>
    isList(one) && !(type.dtype === 'string' && one instanceof Uint8Array);
  if (!Array.isArray(value) || !isAxis(value[0])) return value as ArrayLike<unknown>;
  let lists: readonly unknown[] = [value];
  for (const [axis, size] of type.shape.entries()) {
    const wrong = lists.findIndex((one) => !isAxis(one) || one.length !== size);
    if (wrong >= 0) {
      const found = lists[wrong];
      const received = isAxis(found) ? `a list of ${found.length} at axis ${axis}` : `no list at axis ${axis}`;
      throw runtimeError('ERR_RUNTIME_INPUT', { expected: printType(type), received, ...place() });
    }
    lists = lists.flatMap((one) => Array.from(one as ArrayLike<unknown>));
  }
  return lists;
}

const isFloats = (list: ArrayLike<unknown>): list is Float32Array | Float64Array =>
  list instanceof Float32Array || list instanceof Float64Array;

const isList = (value: unknown): value is ArrayLike<unknown> =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
