import type { DenseBlock, ReferenceKernel } from '@brezel/core';
import { type PosteriorOutput, posteriorBlock } from '../../posterior.js';

/**
 * Computes the joint log likelihood of each component: constant - 1/2 |(x - mean) P|^2, in float64.
 * With `diagonal`, P has one factor per feature. Otherwise P is a matrix `[features, features]`;
 * all components share one matrix, or each has its own. Sums run in plain order.
 */
export const reference: ReferenceKernel = ({ rows, inputs, attributes, parameters }) => {
  const numbers = (name: string) => (parameters[name] as { data: Float64Array }).data;
  const [means, precisions, constants] = [numbers('means'), numbers('precisions'), numbers('constants')];
  const { values, size } = inputs[0] as DenseBlock<'float32'>;
  const factors = attributes.diagonal === true ? size : size * size;
  const joint = Array.from({ length: rows }, (_, row) =>
    constants.map((constant, component) => {
      const away = Float64Array.from(
        { length: size },
        (_, at) => values[row * size + at]! - means[component * size + at]!,
      );
      const from = precisions.length === factors ? 0 : component * factors;
      const own = precisions.subarray(from, from + factors);
      const scaled = attributes.diagonal === true ? away.map((value, at) => value * own[at]!) : product(away, own);
      return constant - 0.5 * scaled.reduce((sum, value) => sum + value * value, 0);
    }),
  );
  return posteriorBlock(attributes.output as PosteriorOutput, joint, constants.length);
};

function product(row: Float64Array, matrix: Float64Array): Float64Array {
  return row.map((_, column) => row.reduce((sum, value, at) => sum + value * matrix[at * row.length + column]!, 0));
}
