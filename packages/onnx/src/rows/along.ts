import type { Flow } from '@brezel/flour';
import { inALine } from './join.js';
import { type Spender, stridedPlaces } from './moves.js';
import { product, type RowValue } from './value.js';

/**
 * The elements of a row, arranged in parts of adjacent elements. An operator processes each part
 * separately, for example reduces it to one element.
 */
export interface Runs {
  readonly flow: Flow<'vector'>;
  readonly parts: number;
  /** The sizes of the axes that remain if each part is reduced to one element. */
  readonly kept: readonly number[];
  /** Moves the elements of a result with the size of the row back to the original order. */
  back(flow: Flow<'vector'>): Flow<'vector'>;
}

/**
 * Reorders the elements of a row so that the elements along some axes are adjacent. Returns
 * undefined if `axes` is empty, or if the axis that counts the rows has several entries for each
 * row.
 *
 * @param lists the number of lists that the caller builds afterwards. Each list has one entry for
 * each element of the row.
 * @throws ERR_ONNX_LIMIT before the first list is built, if one of these lists exceeds a limit.
 */
export function runsAlong(row: RowValue, axes: readonly number[], spender: Spender, lists = 0): Runs | undefined {
  if (row.batch.before * row.batch.after !== 1 || axes.length === 0) return undefined;
  const dims = row.dims!;
  const order = dims.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
  const last = dims.map((_, axis) => axis).filter((axis) => axes.includes(axis));
  const kept = order.map((axis) => dims[axis]!);
  const parts = product(kept);
  const line = inALine(row);
  const wide = [...order, ...last].filter((axis) => dims[axis] !== 1);
  const isInOrder = wide.every((axis, at) => at === 0 || wide[at - 1]! < axis);
  requireLists(lists + (isInOrder ? 0 : 2), row, spender);
  if (isInOrder) return { flow: line, parts, kept, back: (flow) => flow };
  const columns = places(dims, [...order, ...last], spender);
  return {
    flow: line.selectColumns(columns),
    parts,
    kept,
    back: (flow) => flow.selectColumns(inverse(columns, spender)),
  };
}

/**
 * Checks that the remaining budget allows `lists` lists, each with one entry for each element of a
 * row. Counts each list twice, because it is copied to a parameter.
 * @throws ERR_ONNX_LIMIT
 */
function requireLists(lists: number, { dims }: RowValue, { budget, at }: Spender): void {
  budget.requireRoom(2 * lists * product(dims!), at);
}

/** Returns, for each element in the new order of the axes, its index in the old order. */
const places = (dims: readonly number[], order: readonly number[], spender: Spender): Int32Array =>
  stridedPlaces(
    order.map((axis) => dims[axis]!),
    order.map((axis) => product(dims.slice(axis + 1))),
    spender,
  );

function inverse(columns: Int32Array, { budget, at }: Spender): Int32Array {
  budget.columns(columns.length, at);
  const places = new Int32Array(columns.length);
  for (let index = 0; index < columns.length; index++) places[columns[index]!] = index;
  return places;
}
