import { dtypeOf, printType } from '@brezel/core';
import { type FlourContext, type Flow, oneHot } from '@brezel/flour';
import { mlNetError } from './errors.js';

/** The values that the keys of a column represent. Key 1 represents the first value. */
export type KeyValues =
  | { readonly kind: 'text'; readonly values: readonly string[] }
  | {
      readonly kind: 'number';
      readonly dtype: 'float32' | 'float64' | 'int32' | 'int64';
      readonly values: readonly number[];
    };

/**
 * A column of a pipeline, as flows. For several texts, or for characters, it holds the flow from
 * which the column is computed.
 */
export type Column =
  | { readonly kind: 'value'; readonly flow: Flow }
  /**
   * A column of keys, as indexes from 0; a missing key has the index `count`. With `numbered`, the
   * flow holds keys from 1, because the keys are too many for a table.
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

/** Returns a column of one text. @throws ERR_MLNET_COLUMN for other columns. */
export function textOf(column: Column, at: string): Flow<'text'> {
  if (column.kind === 'value' && column.flow.kind === 'text') return column.flow as Flow<'text'>;
  throw wrong(at, 'a text', column);
}

/**
 * Returns a column of numbers or texts, one or several.
 * @throws ERR_MLNET_COLUMN for other columns.
 */
export function valuesOf(column: Column, at: string): Flow {
  if (column.kind === 'value') return column.flow;
  throw wrong(at, 'numbers or a text', column);
}

/** Returns a column of float32 numbers as a vector. @throws ERR_MLNET_COLUMN for other columns. */
export function floatsOf(column: Column, at: string): Flow<'vector'> {
  const flow = valuesOf(column, at);
  if (dtypeOf(flow.type) !== 'float32') throw wrong(at, 'float32', column);
  return asVector(flow);
}

/** Returns a column of keys. @throws ERR_MLNET_COLUMN for other columns. */
export function keysOf(column: Column, at: string): Column & { readonly kind: 'key' } {
  if (column.kind === 'key') return column;
  throw wrong(at, 'keys', column);
}

export const asVector = (flow: Flow): Flow<'vector'> =>
  flow.kind === 'vector' ? (flow as Flow<'vector'>) : (flow as Flow<'scalar'>).asVector();

/**
 * Applies a function of vectors to a column. If the column holds a single number, the result is
 * also a single number.
 */
export function onVector(
  flow: Flow,
  apply: (vector: Flow<'vector'>) => Flow<'vector', unknown, readonly unknown[]>,
): Flow {
  const answer = apply(asVector(flow));
  return flow.kind === 'vector' ? answer : answer.asScalar();
}

/** Returns a 1 in the column of each key, and no 1 for a missing key. */
export const oneHotOf = (flour: FlourContext, place: Flow, count: number): Flow<'vector'> =>
  flour.apply<'vector'>(oneHot, [place], { attributes: { categories: count } });

/** The value of a missing key, by type. For texts it is the empty text. */
const missing = { float32: Number.NaN, float64: Number.NaN, int32: 0, int64: 0 };

/** Returns the values of keys. */
export function lookedUp(place: Flow, values: KeyValues): Flow {
  const keys = values.values.map((_, at) => at);
  const [type, otherwise] =
    values.kind === 'text' ? (['string', ''] as const) : ([values.dtype, missing[values.dtype]] as const);
  return (place as Flow<'scalar'>).labelEncode({ keys, values: values.values as string[], otherwise, type });
}

/** Returns a column as a program output. Keys are numbers from 1; a missing key is 0. */
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
