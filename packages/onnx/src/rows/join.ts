import type { Flow } from '@brezel/flour';
import type { RowValue } from './value.js';

/**
 * Converts `Concat` along an axis, if all axes before it have size 1 in a row. The elements of each
 * input are then contiguous, so the inputs are joined as vectors, and sparse vectors stay sparse.
 * Returns undefined for other axes.
 */
export function joined(values: readonly RowValue[], axis: number): Flow | undefined {
  const { dims, batch } = values[0]!;
  const isOuter = dims!.every((size, at) => at >= axis || at === batch.axis || size === 1);
  if (!isOuter || batch.before * batch.after !== 1 || axis === batch.axis) return undefined;
  const [first, ...others] = values.map(inALine) as [Flow<'vector'>, ...Flow<'vector'>[]];
  return others.length === 0 ? first : first.concat(...others);
}

/** Returns the elements of a row as a vector. */
export function inALine({ flow }: RowValue): Flow<'vector'> {
  return flow.kind === 'vector' ? (flow as Flow<'vector'>) : (flow as Flow<'tensor'>).asVector();
}
