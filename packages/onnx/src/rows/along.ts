import type { Flow } from '@brezel/flour';
import { inALine } from './join.js';
import { type Spender, stridedPlaces } from './moves.js';
import { product, type RowValue } from './value.js';

/** The elements of a row, grouped into runs of neighbors. An operator reduces each run. */
export interface Runs {
  readonly flow: Flow<'vector'>;
  readonly parts: number;
  /** The sizes of the axes that are not reduced. */
  readonly kept: readonly number[];
  /** Moves the elements of a result of the same size back to their original positions. */
  back(flow: Flow<'vector'>): Flow<'vector'>;
}

/**
 * Reorders the elements so that the elements along some axes are adjacent. Returns undefined if the
 * axis of the rows has several entries per row.
 *
 * @param lists the number of lists that the caller will build, each with one entry per element.
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
 * Checks that the budget has room for lists with one entry per element of a row, and for the
 * parameters that hold these lists. @throws ERR_ONNX_LIMIT
 */
function requireLists(lists: number, { dims }: RowValue, { budget, at }: Spender): void {
  budget.requireRoom(2 * lists * product(dims!), at);
}

/** Returns the positions of the elements of a tensor after its axes are reordered. */
const places = (dims: readonly number[], order: readonly number[], spender: Spender): Int32Array =>
  stridedPlaces(
    order.map((axis) => dims[axis]!),
    order.map((axis) => product(dims.slice(axis + 1))),
    spender,
  );

function inverse(columns: Int32Array, { budget, at }: Spender): Int32Array {
  budget.list(columns.length, at, Int32Array.BYTES_PER_ELEMENT);
  const places = new Int32Array(columns.length);
  for (let index = 0; index < columns.length; index++) places[columns[index]!] = index;
  return places;
}
