import { type DenseBlock, exp, log, type ReferenceKernel } from '@brezel/core';

/** The constant in Winitzki's approximation of the error function. */
const A = 0.147;

/**
 * Computes the fraction of a normal distribution that is below a value. Uses ML.NET's formula in
 * float64 and rounds once. Returns 0 if the value or its logarithm is not finite, and for columns
 * with deviation 0.
 */
export const reference: ReferenceKernel = ({ inputs, attributes, parameters }) => {
  const means = (parameters.mean as { data: Float32Array }).data;
  const deviations = (parameters.deviation as { data: Float32Array }).data;
  const block = inputs[0] as DenseBlock<'float32'>;
  const values = block.values.map((given, at) => {
    const column = at % block.size;
    const value = attributes.log === true ? log(given) : given;
    if (!Number.isFinite(value) || !(deviations[column]! > 0)) return 0;
    return share((value - means[column]!) / deviations[column]!);
  });
  return { ...block, values };
};

function share(z: number): number {
  const half = (z * z) / 2;
  const quotient = (4 / Math.PI + A * half) / (1 + A * half);
  const root = Math.sqrt(1 - exp(-half * quotient));
  return z < 0 ? 0.5 - 0.5 * root : 0.5 + 0.5 * root;
}
