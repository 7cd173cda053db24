import type { Flow } from '@brezel/flour';
import { inALine } from './join.js';
import { stridedPlaces } from './moves.js';
import { product, type RowValue } from './value.js';

/** The elements of a row in runs of neighbours, each of which an operator takes as one. */
export interface Runs {
  readonly flow: Flow<'vector'>;
  readonly parts: number;
  /** The axes that are left. */
  readonly kept: readonly number[];
  /** The elements of a result of the same size where they were. */
  back(flow: Flow<'vector'>): Flow<'vector'>;
}

/** The elements along some axes brought next to each other. Undefined where several rows lie along the axis of the rows. */
export function runsAlong(row: RowValue, axes: readonly number[]): Runs | undefined {
  if (row.batch.before * row.batch.after !== 1 || axes.length === 0) return undefined;
  const dims = row.dims!;
  const order = dims.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
  const last = dims.map((_, axis) => axis).filter((axis) => axes.includes(axis));
  const kept = order.map((axis) => dims[axis]!);
  const columns = places(dims, [...order, ...last]);
  const isSame = columns.every((column, at) => column === at);
  const line = inALine(row);
  return {
    flow: isSame ? line : line.selectColumns(columns),
    parts: product(kept),
    kept,
    back: (flow) => (isSame ? flow : flow.selectColumns(inverse(columns))),
  };
}

/** Where each element of a tensor stands once its axes are in another order. */
const places = (dims: readonly number[], order: readonly number[]): number[] =>
  stridedPlaces(
    order.map((axis) => dims[axis]!),
    order.map((axis) => product(dims.slice(axis + 1))),
  );

function inverse(columns: readonly number[]): number[] {
  const places = new Array<number>(columns.length);
  columns.forEach((column, at) => {
    places[column] = at;
  });
  return places;
}
