import type { Answer, Row } from './rows.js';

/** The numbers of one input for all rows, row-major: `rows * size` elements. */
export type NumberColumn =
  | Float64Array
  | Float32Array
  | Int32Array
  | Uint32Array
  | Int16Array
  | Uint16Array
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | BigInt64Array
  | BigUint64Array;

/** The texts of one input for all rows, row-major: `rows * size` elements. */
export type TextColumn = readonly (string | Uint8Array)[];

/**
 * The values of one input for all rows. For an input of type dictionary, a list with one object or
 * Map for each row.
 */
export type InputColumn = NumberColumn | TextColumn | readonly object[];

/**
 * The values of one output for all rows, row-major: `rows * length` elements, where `length` is the
 * number of elements in one answer.
 */
export type AnswerColumn =
  | Float64Array
  | Float32Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | string[]
  | (readonly string[])[]
  | Answer[string][];

/** The answers of `predictColumns`: a column for each output, by name. */
export type AnswerColumns = Readonly<Record<string, AnswerColumn>>;

/** The type of the column for an input, if the value of the input in a row has type `V`. */
export type ColumnOfInput<V> = unknown extends V
  ? InputColumn
  : [Extract<V, string | readonly string[]>] extends [never]
    ? ColumnWithoutText<V>
    : TextColumn;

type ColumnWithoutText<V> = V extends null | undefined
  ? never
  : V extends number | bigint | boolean | ArrayLike<number | bigint | boolean>
    ? NumberColumn
    : V extends readonly unknown[]
      ? NumberColumn | TextColumn
      : readonly V[];

/** The type of the column for an output, if the value of the output in an answer has type `V`. */
export type ColumnOfOutput<V> = [V] extends [string]
  ? V[]
  : [V] extends [readonly string[]]
    ? string[] | (readonly string[])[]
    : [V] extends [boolean | readonly boolean[]]
      ? Uint8Array
      : [V] extends [number | bigint | readonly (number | bigint)[]]
        ? Float64Array | Float32Array | Int32Array | BigInt64Array
        : AnswerColumn;

/** The columns that `predictColumns` accepts for a plan whose row has type `R`. */
export type ColumnsOfRows<R> = [Row] extends [R]
  ? Readonly<Record<string, InputColumn>> | NumberColumn | TextColumn
  : R extends string
    ? TextColumn
    : R extends ArrayLike<number>
      ? NumberColumn
      : { readonly [Input in keyof R]: ColumnOfInput<R[Input]> };

/** The columns that `predictColumns` returns for a plan whose answer has type `A`. */
export type ColumnsOfAnswers<A> = { readonly [Output in keyof A]: ColumnOfOutput<A[Output]> };
