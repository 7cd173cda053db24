/**
 * Places things on a line, in their order and no nearer to the next than `gaps` (one less), as near to where they want to be as possible: the
 * least sum of squares, found by pooling neighbours that violate the order.
 */
export function spread(wanted: readonly number[], gaps: readonly number[]): number[] {
  const pools: { mean: number; size: number }[] = [];
  const offsets = [0];
  for (const gap of gaps) offsets.push(offsets.at(-1)! + gap);
  wanted.forEach((place, at) => {
    let pool = { mean: place - offsets[at]!, size: 1 };
    while (pools.length > 0 && pools.at(-1)!.mean > pool.mean) {
      const last = pools.pop()!;
      const size = last.size + pool.size;
      pool = { mean: (last.mean * last.size + pool.mean * pool.size) / size, size };
    }
    pools.push(pool);
  });
  const places = pools.flatMap(({ mean, size }) => new Array<number>(size).fill(mean));
  return places.map((place, at) => place + offsets[at]!);
}
