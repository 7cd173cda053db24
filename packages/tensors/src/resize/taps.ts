import type { TensorCall } from '../define.js';
import { type CoordinateMode, coordinates, type ResizedAxis } from './coordinates.js';

/**
 * The source entries from which one entry of the result is computed. Source entry `first + i` has
 * the weight `weights[i]`. An index beyond the ends of the axis reads the entry at this end.
 */
export interface Tap {
  readonly first: number;
  readonly weights: Float64Array;
}

/**
 * An interpolation filter. `weight` returns the weight of a source entry at a distance, and `reach`
 * is the largest distance with a weight.
 */
export interface Filter {
  readonly reach: number;
  readonly weight: (distance: number) => number;
}

export const linearFilter: Filter = { reach: 1, weight: (distance) => Math.max(0, 1 - Math.abs(distance)) };

/** Cubic convolution with the free coefficient `a` (Keys 1981, equation 4). */
export const cubicFilter = (a: number): Filter => ({
  reach: 2,
  weight(distance) {
    const x = Math.abs(distance);
    if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
  },
});

export interface TapOptions {
  readonly mode: CoordinateMode;
  readonly filter: Filter;
  /** Whether to widen the filter for an axis that gets shorter. */
  readonly isAntialiased: boolean;
  /** Whether entries beyond the ends have weight 0. The other weights are then scaled to sum 1. */
  readonly excludesOutside: boolean;
}

/**
 * Returns one tap for each entry of the resized axis: the source entries from which it is computed,
 * with their weights.
 */
export function tapsOf(call: TensorCall, axis: ResizedAxis, options: TapOptions): Tap[] {
  const { mode, filter, isAntialiased, excludesOutside } = options;
  const squeeze = isAntialiased ? Math.min(axis.scale, 1) : 1;
  const reach = filter.reach / squeeze;
  call.budget.take(axis.to * (2 * reach + 1)); // files choose the scales
  return Array.from({ length: axis.to }, (_, index) => {
    const x = coordinates[mode](index, axis);
    const first = Math.floor(x - reach) + 1;
    const weights = Float64Array.from({ length: Math.ceil(x + reach) - first }, (_, at) => {
      const entry = first + at;
      const isOutside = entry < 0 || entry >= axis.from;
      return isOutside && excludesOutside ? 0 : filter.weight((entry - x) * squeeze);
    });
    return { first, weights: isAntialiased || excludesOutside ? ofSumOne(weights) : weights };
  });
}

function ofSumOne(weights: Float64Array): Float64Array {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}
