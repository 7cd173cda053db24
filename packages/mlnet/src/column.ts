import { dtypeOf, printType } from '@brezel/core';
import { type FlourContext, type Flow, oneHot } from '@brezel/flour';
import { mlNetError } from './errors.js';

/**
 * The values of a column of keys. ML.NET stores categories as integer keys; key 1 stands for the
 * first value.
 */
export type KeyValues =
  | { readonly kind: 'text'; readonly values: readonly string[] }
  | {
      readonly kind: 'number';
      readonly dtype: 'float32' | 'float64' | 'int32' | 'int64';
      readonly values: readonly number[];
    };

/**
 * A column of an ML.NET pipeline, represented by flows of the program. A column of tokens or
 * characters holds the flow from which operators compute the column.
 */
export type Column =
  | { readonly kind: 'value'; readonly flow: Flow }
  /**
   * A column of keys. `place` is the key minus 1, or `count` for a missing key. If a column has too
   * many keys for a table, `numbered` is set and holds the keys themselves.
   */
  | {
      readonly kind: 'key';
      readonly place: Flow;
      readonly count: number;
      readonly values?: KeyValues;
      readonly numbered?: Flow;
    }
  | { readonly kind: 'tokens'; readonly flow: Flow<'tokens'> }
  | { readonly kind: 'token-keys'; readonly flow: Flow<'tokens'>; readonly terms: readonly string[] }
  | { readonly kind: 'characters'; readonly text: Flow<'text'> };

export const valueColumn = (flow: Flow): Column => ({ kind: 'value', flow });

/** Describes a column for errors. */
function described(column: Column): string {
  return column.kind === 'value' ? printType(column.flow.type) : column.kind;
}

const wrong = (at: string, expected: string, column: Column) =>
  mlNetError('ERR_MLNET_COLUMN', { expected, received: described(column), at });

/**
 * Returns the flow of a column that is a single text.
 * @throws ERR_MLNET_COLUMN for other columns.
 */
export function textOf(column: Column, at: string): Flow<'text'> {
  if (column.kind === 'value' && column.flow.kind === 'text') return column.flow as Flow<'text'>;
  throw wrong(at, 'a text', column);
}

/**
 * Returns the flow of a column of numbers or texts: a scalar or a vector.
 * @throws ERR_MLNET_COLUMN for other columns.
 */
export function valuesOf(column: Column, at: string): Flow {
  if (column.kind === 'value') return column.flow;
  throw wrong(at, 'numbers or a text', column);
}

/**
 * Returns a column of float32 numbers as a vector flow.
 * @throws ERR_MLNET_COLUMN for other columns.
 */
export function floatsOf(column: Column, at: string): Flow<'vector'> {
  const flow = valuesOf(column, at);
  if (dtypeOf(flow.type) !== 'float32') throw wrong(at, 'float32', column);
  return asVector(flow);
}

/**
 * Returns the column if it is a column of keys.
 * @throws ERR_MLNET_COLUMN for other columns.
 */
export function keysOf(column: Column, at: string): Column & { readonly kind: 'key' } {
  if (column.kind === 'key') return column;
  throw wrong(at, 'keys', column);
}

export const asVector = (flow: Flow): Flow<'vector'> =>
  flow.kind === 'vector' ? (flow as Flow<'vector'>) : (flow as Flow<'scalar'>).asVector();

/**
 * Applies a function of vectors to a flow. If the flow is a scalar, it becomes a vector for the
 * function, and the result is a scalar.
 */
export function onVector(
  flow: Flow,
  apply: (vector: Flow<'vector'>) => Flow<'vector', unknown, readonly unknown[]>,
): Flow {
  const answer = apply(asVector(flow));
  return flow.kind === 'vector' ? answer : answer.asScalar();
}

/**
 * Adds a one-hot encoding: a vector of `count` numbers with 1 at the index of the key. A missing
 * key gives only zeros.
 */
export const oneHotOf = (flour: FlourContext, place: Flow, count: number): Flow<'vector'> =>
  flour.apply<'vector'>(oneHot, [place], { attributes: { categories: count } });

/** The value that replaces a missing key, by type of the values. For texts it is the empty text. */
const missing = { float32: Number.NaN, float64: Number.NaN, int32: 0, int64: 0 };

/** Adds an operator that looks up the values of keys. */
export function lookedUp(place: Flow, values: KeyValues): Flow {
  const keys = values.values.map((_, at) => at);
  const [type, otherwise] =
    values.kind === 'text' ? (['string', ''] as const) : ([values.dtype, missing[values.dtype]] as const);
  return (place as Flow<'scalar'>).labelEncode({ keys, values: values.values as string[], otherwise, type });
}

/**
 * Returns the flow of a column that is an output of the program. Keys are numbers from 1; a missing
 * key is 0.
 */
export function answerOf(column: Column, at: string): Flow {
  if (column.kind === 'value')
    return column.flow.kind === 'vector' ? (column.flow as Flow<'vector'>).densify() : column.flow;
  if (column.kind !== 'key') throw wrong(at, 'numbers, a text or keys', column);
  return column.numbered ?? numbered(column.place, column.count);
}

const numbered = (place: Flow, count: number): Flow =>
  (place as Flow<'scalar'>).labelEncode({
    keys: Array.from({ length: count }, (_, at) => at),
    values: Array.from({ length: count }, (_, at) => at + 1),
    otherwise: 0,
    type: 'int64',
  });
