/**
 * Places items on a line in their order, with at least the given gaps (one fewer than items), as
 * near as possible to their wanted positions.
 *
 * It minimizes the sum of squared distances by pooling adjacent items that violate the order.
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
