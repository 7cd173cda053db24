import type { Filter } from './resize/taps.js';
import { type Shape, strides } from './shapes.js';

/** One entry of an image, with the weight that it has in the value at a point. */
export interface Sample {
  readonly index: number;
  readonly weight: number;
}

/**
 * Converts the index of an entry that may be outside an axis of `size` entries. Returns the index
 * of the entry to read instead, or -1 to use zero.
 */
export type Padding = (entry: number, size: number) => number;

export const zeros: Padding = (entry, size) => (entry >= 0 && entry < size ? entry : -1);

/**
 * Returns the entries that a filter reads around a point of an axis: none if the coordinate is NaN
 * or infinite.
 */
function alongAxis(x: number, size: number, filter: Filter, padding: Padding): Sample[] {
  if (!Number.isFinite(x)) return [];
  const samples: Sample[] = [];
  for (let entry = Math.floor(x - filter.reach) + 1; entry < x + filter.reach; entry++) {
    const index = padding(entry, size);
    const weight = filter.weight(entry - x);
    if (index >= 0 && weight !== 0) samples.push({ index, weight });
  }
  return samples;
}

/**
 * Returns the entries that a filter reads around a point of an image. The weight of an entry is the
 * product of its weights along all axes.
 */
export function samplesAround(point: readonly number[], sizes: Shape, filter: Filter, padding: Padding): Sample[] {
  const steps = strides(sizes);
  return sizes.reduce<Sample[]>(
    (found, size, axis) => {
      const along = alongAxis(point[axis]!, size, filter, padding);
      return found.flatMap(({ index, weight }) =>
        along.map((one) => ({ index: index + one.index * steps[axis]!, weight: weight * one.weight })),
      );
    },
    [{ index: 0, weight: 1 }],
  );
}

/**
 * Returns the weighted sum of the samples in one channel. The elements of the channel start at
 * index `base` of `data`.
 */
export function sampled(data: ArrayLike<number>, base: number, samples: readonly Sample[]): number {
  let sum = 0;
  for (const { index, weight } of samples) sum += weight * data[base + index]!;
  return sum;
}
