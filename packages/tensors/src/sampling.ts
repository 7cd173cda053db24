import type { Filter } from './resize/taps.js';
import { type Shape, strides } from './shapes.js';

/** Entries of an image that are added up for one point, each by its weight. */
export interface Sample {
  readonly place: number;
  readonly weight: number;
}

/** Which entry of an axis stands for one that may lie beyond its ends; -1 for none, which counts as zero. */
export type Padding = (entry: number, size: number) => number;

export const zeros: Padding = (entry, size) => (entry >= 0 && entry < size ? entry : -1);

/** What a filter takes of the entries around a point of an axis. A coordinate that is no number is near nothing. */
function alongAxis(x: number, size: number, filter: Filter, padding: Padding): Sample[] {
  if (!Number.isFinite(x)) return [];
  const samples: Sample[] = [];
  for (let entry = Math.floor(x - filter.reach) + 1; entry < x + filter.reach; entry++) {
    const place = padding(entry, size);
    const weight = filter.weight(entry - x);
    if (place >= 0 && weight !== 0) samples.push({ place, weight });
  }
  return samples;
}

/** What a filter takes of an image around a point: the product of what it takes along each axis. */
export function samplesAround(point: readonly number[], sizes: Shape, filter: Filter, padding: Padding): Sample[] {
  const steps = strides(sizes);
  return sizes.reduce<Sample[]>(
    (found, size, axis) => {
      const along = alongAxis(point[axis]!, size, filter, padding);
      return found.flatMap(({ place, weight }) =>
        along.map((one) => ({ place: place + one.place * steps[axis]!, weight: weight * one.weight })),
      );
    },
    [{ place: 0, weight: 1 }],
  );
}

/** The sum of samples of the channel that begins at `base`. */
export function sampled(data: ArrayLike<number>, base: number, samples: readonly Sample[]): number {
  let sum = 0;
  for (const { place, weight } of samples) sum += weight * data[base + place]!;
  return sum;
}
