import type { BatchRule, RuleUse } from '../rule.js';
import type { Batch } from '../value.js';

/**
 * Batch rule for elementwise operators, which may broadcast axes of size 1. In all inputs that
 * depend on the row, the same axis must count the rows, counted from the last axis. In constants,
 * this axis must have the size 1.
 */
export const elementwise: BatchRule = (use) => {
  if (use.opset < 7 && use.attributes.has('axis'))
    throw use.mixes('broadcasting from an axis on, of old operator sets');
  const rank = Math.max(...use.inputs.map((input) => input?.dims.length ?? 0));
  const batch = commonBatch(use);
  for (const input of use.inputs) {
    if (input === undefined || input.batch !== undefined) continue;
    const size = input.dims.at(batch.axis) ?? 1;
    if (size !== 1) throw use.mixes(`a constant of ${size} entries along the axis of the rows`);
  }
  return { ...batch, axis: rank + batch.axis };
};

/**
 * Returns the layout of the rows, which must be the same in all inputs that depend on the row. Its
 * `axis` is negative, because it counts from the last axis.
 */
function commonBatch(use: RuleUse): Batch {
  const found = use.inputs.flatMap((input) =>
    input?.batch === undefined ? [] : [{ ...input.batch, axis: input.batch.axis - input.dims.length }],
  );
  const [first] = found as [Batch, ...Batch[]];
  const same = ({ axis, before, after }: Batch) =>
    axis === first.axis && before === first.before && after === first.after;
  if (found.every(same)) return first;
  throw use.mixes('rows lie at different axes of its inputs');
}

const names =
  'Abs Acos Acosh Add And Asin Asinh Atan Atanh BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Cast Ceil Celu Clip Cos Cosh Div Elu Equal Erf ' +
  'Exp Floor Gelu Greater GreaterOrEqual HardSigmoid HardSwish IsInf IsNaN LeakyRelu Less LessOrEqual Log Max Mean Min Mish Mod Mul Neg Not Or ' +
  'PRelu Pow Reciprocal RegexFullMatch Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softplus Softsign Sqrt StringConcat Sub Sum Swish Tan Tanh ' +
  'ThresholdedRelu Where Xor CastLike Affine Scale ScaledTanh ParametricSoftplus';

export const elementwiseRules: Readonly<Record<string, BatchRule>> = Object.fromEntries(
  names.split(' ').map((name) => [name, elementwise]),
);
