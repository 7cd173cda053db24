import { isOne, keepsAxes } from '../attributes.js';
import { type OperatorSteps, type TensorCall, type TensorOperator, tensorOperators } from '../define.js';
import { isBig, isFloat, numbers } from '../elements.js';
import { axesOf, eachGroup, type Groups, groupsOf, overGroups, reducedShape, takeGroups } from '../groups.js';
import {
  type BigIntData,
  computedSteps,
  type Floats,
  type NumberData,
  type Numeric,
  newData,
  tensorInput,
  tensorOf,
} from '../inputs.js';
import { interruptible } from '../pauses.js';
import { type Reduction, reducedInteger, reductions } from '../reductions.js';
import { elementCount, type NumericElement, type Tensor } from '../tensor.js';

/**
 * Reduces groups of floats. Sums of 16-bit floats are computed in float32 and rounded at the end.
 */
function* reduceFloats(
  call: TensorCall,
  input: Floats,
  groups: Groups,
  shape: readonly number[],
  { real }: Reduction,
): OperatorSteps<Tensor> {
  call.budget.take(groups.starts.length);
  const results = new Float64Array(groups.starts.length);
  const keep = input.element === 'float64' ? (x: number) => x : Math.fround;
  yield* eachGroup(call, input.data, groups, (values, group) => {
    results[group] = real(values, keep);
  });
  return yield* computedSteps(call, input.element, shape, (at) => results[at]!);
}

function* reduceWhole(
  call: TensorCall,
  input: Numeric,
  groups: Groups,
  shape: readonly number[],
  reduction: Reduction,
): OperatorSteps<Tensor> {
  const { element } = input;
  call.budget.take(groups.steps.length);
  const data = newData(call, element, shape) as NumberData & BigIntData;
  const reduceGroup = (group: number) => {
    const start = groups.starts[group]!;
    const values = Array.from(groups.steps, (step) => BigInt(input.data[start + step]!));
    const result = reducedInteger(reduction, values, element);
    data[group] = (isBig(element) ? result : Number(BigInt.asIntN(32, result))) as never;
  };
  yield* overGroups(call, groups, (from, to) => {
    for (let group = from; group < to; group++) reduceGroup(group);
  });
  return tensorOf(element, shape, data);
}

const reduce = (operator: string, elements: readonly NumericElement[], reduction: Reduction): TensorOperator =>
  interruptible({
    domain: '',
    operator,
    versions: [1, 25],
    *steps(call) {
      const input = tensorInput(call, 0, elements);
      const named = axesOf(call, input.shape.length) ?? [];
      // Without axes, all axes are reduced. With `noop_with_empty_axes`, no axis is reduced: each
      // element is a group.
      const every = named.length === 0 && !isOne(call, 'noop_with_empty_axes', false);
      const axes = every ? input.shape.map((_, axis) => axis) : named;
      const shape = reducedShape(input.shape, axes, keepsAxes(call));
      const groups = yield* groupsOf(input.shape, axes, call);
      takeGroups(call, groups);
      if (operator === 'ReduceMean' && !isFloat(input.element) && groups.steps.length === 0 && elementCount(shape) > 0)
        throw call.fault('the mean of no integers', 'at least one integer per mean');
      return [
        isFloat(input.element)
          ? yield* reduceFloats(call, input as Floats, groups, shape, reduction)
          : yield* reduceWhole(call, input, groups, shape, reduction),
      ];
    },
  });

const ordered = [...numbers, 'bool'] as const;

/** The operators that reduce a tensor along some axes. */
export const reduces = tensorOperators(
  reduce('ReduceSum', numbers, reductions.sum),
  reduce('ReduceMean', numbers, reductions.mean),
  reduce('ReduceProd', numbers, reductions.product),
  reduce('ReduceMax', ordered, reductions.max),
  reduce('ReduceMin', ordered, reductions.min),
  reduce('ReduceL1', numbers, reductions.sumOfAbsolutes),
  reduce('ReduceL2', numbers, reductions.length),
  reduce('ReduceSumSquare', numbers, reductions.sumOfSquares),
  reduce('ReduceLogSum', numbers, reductions.logSum),
  reduce('ReduceLogSumExp', numbers, reductions.logSumExp),
);
