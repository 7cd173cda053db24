import type { Flow } from '@brezel/flour';
import type { RowValue } from './value.js';

/**
 * Joins the rows of several values along an axis that does not count the rows. Sparse vectors stay
 * sparse. Returns undefined if another axis before it has a size above 1, because the rows can then
 * not be joined as vectors.
 */
export function joined(values: readonly RowValue[], axis: number): Flow | undefined {
  const { dims, batch } = values[0]!;
  const isOuter = dims!.every((size, at) => at >= axis || at === batch.axis || size === 1);
  if (!isOuter || batch.before * batch.after !== 1 || axis === batch.axis) return undefined;
  const [first, ...others] = values.map(inALine) as [Flow<'vector'>, ...Flow<'vector'>[]];
  return others.length === 0 ? first : first.concat(...others);
}

/** Returns the elements of a row as a vector flow. */
export function inALine({ flow }: RowValue): Flow<'vector'> {
  return flow.kind === 'vector' ? (flow as Flow<'vector'>) : (flow as Flow<'tensor'>).asVector();
}
