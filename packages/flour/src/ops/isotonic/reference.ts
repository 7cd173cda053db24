import type { DenseBlock, ReferenceKernel } from '@brezel/core';

/**
 * Interpolates between points (x, y), then clamps the result. The function is constant before the
 * first and after the last point, and linear between two points. At an x that several points share,
 * it has the y of the first of these points. Computes in float64 and rounds once; NaN stays NaN.
 */
export const reference: ReferenceKernel = ({ inputs, parameters }) => {
  const numbers = (name: string) => (parameters[name] as { data: Float64Array }).data;
  const [x, y] = [numbers('x'), numbers('y')];
  const [least, most] = numbers('bounds') as unknown as [number, number];
  const block = inputs[0] as DenseBlock<'float32'>;
  const values = block.values.map((score) => {
    const height = heightAt(score, x, y);
    return height < least ? least : height > most ? most : height;
  });
  return { ...block, values };
};

function heightAt(score: number, x: Float64Array, y: Float64Array): number {
  if (Number.isNaN(score)) return score;
  const next = x.findIndex((place) => place >= score);
  if (next === 0) return y[0]!;
  if (next < 0) return y.at(-1)!;
  if (x[next] === score) return y[next]!;
  const share = (score - x[next - 1]!) / (x[next]! - x[next - 1]!);
  return y[next - 1]! + share * (y[next]! - y[next - 1]!);
}
