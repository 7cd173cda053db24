import { type DenseBlock, dense, exp, LaneSum, log, type ReferenceKernel, tanh } from '@brezel/core';

/**
 * The names of the kernel functions of support vector machines. The kernel of the addon receives
 * the index of a name.
 */
export const kernels = ['linear', 'poly', 'rbf', 'sigmoid'] as const;
/** The name of a kernel function of a support vector machine. */
export type SupportKernel = (typeof kernels)[number];

/**
 * Computes the kernel function of each row and support vector. The product or squared distance is a
 * float32 sum with 16 partial sums. The argument of the power, the exponential or tanh is rounded
 * to float32, and these functions are computed in float64.
 */
export const reference: ReferenceKernel = ({ rows, inputs, attributes, parameters }) => {
  const { values, size } = inputs[0] as DenseBlock<'float32'>;
  const vectors = (parameters.supportVectors as { data: Float32Array }).data;
  const [gamma, coef0, degree] = (parameters.constants as { data: Float32Array }).data as Iterable<number>;
  const count = vectors.length / size;
  const out = Float32Array.from({ length: rows * count }, (_, at) => {
    const row = values.subarray(Math.floor(at / count) * size, (Math.floor(at / count) + 1) * size);
    const support = vectors.subarray((at % count) * size, ((at % count) + 1) * size);
    return near(attributes.kernel as SupportKernel, row, support, gamma!, coef0!, degree!);
  });
  return dense('float32', rows, count, out);
};

function near(
  kernel: SupportKernel,
  row: Float32Array,
  support: Float32Array,
  gamma: number,
  coef0: number,
  degree: number,
): number {
  const sum = new LaneSum(1);
  for (const [column, value] of row.entries()) {
    const difference = Math.fround(value - support[column]!);
    sum.add(kernel === 'rbf' ? Math.fround(difference * difference) : Math.fround(value * support[column]!));
  }
  const total = sum.finish()[0]!;
  if (kernel === 'linear') return total;
  if (kernel === 'rbf') return exp(Math.fround(-gamma * total));
  const argument = Math.fround(Math.fround(gamma * total) + coef0);
  return kernel === 'sigmoid' ? tanh(argument) : power(argument, degree);
}

/**
 * Returns x^n. If n is an integer from -64 to 64, it squares repeatedly. For other n, it uses
 * logarithms, so a negative x gives NaN.
 */
export function power(x: number, n: number): number {
  if (!Number.isInteger(n) || Math.abs(n) > 64) return exp(n * log(x));
  let result = 1;
  let square = x;
  for (let left = Math.abs(n); left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result *= square;
    square *= square;
  }
  return n < 0 ? 1 / result : result;
}
