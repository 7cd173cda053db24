import { type DenseBlock, LaneSum, type ReferenceKernel } from '@brezel/core';

const { fround } = Math;
export const lpNorms = ['l1', 'l2', 'deviation', 'infinity'] as const;
/** The name of a norm of `Flow.lpNorm`. */
export type LpNorm = (typeof lpNorms)[number];

/**
 * The smallest factor that is applied. A smaller factor (scale / norm, or `scale` for a row with
 * norm 0) is replaced by 1, as in ML.NET.
 */
const LEAST_FACTOR = fround(1e-8);

/**
 * Computes (x - mean) * (scale / norm) in float32. Without `subtractMean`, the mean is 0. Sums have
 * the 16 partial sums of native/README.md section 1.
 */
export const reference: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const { norm, subtractMean, scale } = attributes as { norm: LpNorm; subtractMean: boolean; scale: number };
  const block = inputs[0] as DenseBlock<'float32'>;
  const values = block.values.slice();
  for (let row = 0; row < rows; row++) {
    const own = values.subarray(row * block.size, (row + 1) * block.size);
    const mean = fround(sumOf(own) / own.length);
    const offset = subtractMean ? mean : 0;
    const length = normOf(own, norm, norm === 'deviation' ? mean : offset);
    const factor = length > 0 ? fround(fround(scale) / length) : fround(scale);
    const used = factor < LEAST_FACTOR ? 1 : factor;
    own.forEach((value, at) => (own[at] = fround(value - offset) * used));
  }
  return { ...block, values };
};

function sumOf(values: Iterable<number>): number {
  const sum = new LaneSum(1);
  for (const value of values) sum.add(value);
  return sum.finish()[0]!;
}

function normOf(values: Float32Array, norm: LpNorm, center: number): number {
  const away = values.map((value) => value - center);
  if (norm === 'infinity') return away.reduce((most, value) => (Math.abs(value) > most ? Math.abs(value) : most), 0);
  if (norm === 'l1') return sumOf(away.map(Math.abs));
  const squares = sumOf(away.map((value) => value * value));
  return fround(Math.sqrt(norm === 'l2' ? squares : fround(squares / values.length)));
}
