/**
 * Returns positions of items on a line that are as near as possible to their wanted positions.
 * Items stay in their order. The distance between the items i and i + 1 is at least `gaps[i]`.
 *
 * The result has the least sum of squared distances. The function pools adjacent items that would
 * violate the order.
 */
export function spread(wanted: readonly number[], gaps: readonly number[]): number[] {
  const pools: { mean: number; size: number }[] = [];
  const offsets = [0];
  for (const gap of gaps) offsets.push(offsets.at(-1)! + gap);
  wanted.forEach((position, index) => {
    let pool = { mean: position - offsets[index]!, size: 1 };
    while (pools.length > 0 && pools.at(-1)!.mean > pool.mean) {
      const last = pools.pop()!;
      const size = last.size + pool.size;
      pool = { mean: (last.mean * last.size + pool.mean * pool.size) / size, size };
    }
    pools.push(pool);
  });
  const places = pools.flatMap(({ mean, size }) => new Array<number>(size).fill(mean));
  return places.map((position, index) => position + offsets[index]!);
}
