import { type DenseBlock, dense, exp, log, type ReferenceKernel, sizeOf } from '@brezel/core';

const { fround } = Math;

/**
 * Finds the nearest training points and averages their targets. Points are ordered by distance,
 * then by index; NaN is the greatest distance. A distance is a float32 sum in the order of the
 * features. The answer is sum(weight * target) / sum(weight) in float32, where the sums run over
 * the neighbors from the nearest to the farthest.
 */
export const reference: ReferenceKernel = ({ rows, inputs, type, attributes, parameters }) => {
  const points = (parameters.points as { data: Float32Array }).data;
  const targets = parameters.targets as { dtype: string; data: Int32Array | Float32Array };
  const { values, size } = inputs[0] as DenseBlock<'float32'>;
  const { neighbors, weighted, rooted } = attributes as { neighbors: number; weighted: boolean; rooted?: boolean };
  const power = (attributes.power as number | null) ?? Number.POSITIVE_INFINITY;
  const count = points.length / size;
  const outputs = sizeOf(type);
  const out = new Float32Array(rows * outputs);
  for (let row = 0; row < rows; row++) {
    const features = values.subarray(row * size, (row + 1) * size);
    const reduced = Array.from({ length: count }, (_, point) => reducedDistance(features, points, point, count, power));
    const distances = rooted === true ? reduced.map((one) => root(one, power)) : reduced;
    const nearest = Array.from(distances.keys())
      .sort((a, b) => before(distances[a]!, distances[b]!) || a - b)
      .slice(0, neighbors);
    const weights = weighted ? inverse(nearest.map((point) => root(reduced[point]!, power))) : nearest.map(() => 1);
    const total = weights.reduce((sum, weight) => fround(sum + weight), 0);
    for (let output = 0; output < outputs; output++) {
      const sum = nearest.reduce((all, point, at) => {
        // A class counts as a target of 1 for its own output and 0 for the others.
        if (targets.dtype === 'int32') return targets.data[point] === output ? fround(all + weights[at]!) : all;
        return fround(all + fround(weights[at]! * targets.data[point * outputs + output]!));
      }, 0);
      out[row * outputs + output] = sum / total;
    }
  }
  return dense('float32', rows, outputs, out);
};

/** Compares two distances for sorting: smaller distances first, NaN last. */
function before(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Returns the distance to the power `p`. This number orders points in the same way as the
 * distance, and needs no root. Points are stored feature by feature: the first feature of all
 * points, then the second feature.
 */
function reducedDistance(
  features: Float32Array,
  points: Float32Array,
  point: number,
  count: number,
  p: number,
): number {
  return features.reduce((sum, value, feature) => {
    const away = Math.abs(fround(value - points[feature * count + point]!));
    if (p === Number.POSITIVE_INFINITY) return away > sum || Number.isNaN(away) ? away : sum;
    return fround(sum + (p === 1 ? away : p === 2 ? fround(away * away) : fround(exp(p * log(away)))));
  }, 0);
}

function root(reduced: number, p: number): number {
  if (p === 1 || p === Number.POSITIVE_INFINITY) return reduced;
  return fround(p === 2 ? Math.sqrt(reduced) : exp(log(reduced) / p));
}

/**
 * Returns the weights of neighbors: 1 divided by each distance. If a distance is 0, neighbors at
 * distance 0 have the weight 1 and the others have the weight 0.
 */
function inverse(distances: readonly number[]): number[] {
  const isThere = distances.includes(0);
  return distances.map((distance) => (isThere ? Number(distance === 0) : fround(1 / distance)));
}
