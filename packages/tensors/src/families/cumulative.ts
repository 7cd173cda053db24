import { flagAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, type TensorOperator, tensorOperators } from '../define.js';
import { floats, isBig, isFloat, roundTo } from '../elements.js';
import { groupsOf, overGroups } from '../groups.js';
import { type BigIntData, type NumberData, newData, onlyElement, tensorInput, tensorOf } from '../inputs.js';
import { interruptible } from '../pauses.js';
import { normalizeAxis } from '../shapes.js';
import { accumulator } from '../shared/accumulator.js';
import type { NumericElement } from '../tensor.js';

interface Step {
  /** The running result before the first element: 0 for sums, 1 for products. */
  readonly neutral: number;
  readonly number: (element: NumericElement) => (a: number, b: number) => number;
  readonly big: (a: bigint, b: bigint) => bigint;
}

const types = [...floats, 'int32', 'int64', 'uint32', 'uint64'] as const;

/**
 * Combines each element with the previous result, and rounds each result. 16-bit floats are
 * computed in float32, and rounded to their type at the end.
 */
function* cumulate(call: TensorCall, step: Step): OperatorSteps {
  const { element, shape, data } = tensorInput(call, 0, types);
  const axis = Number(onlyElement(call, tensorInput(call, 1, ['int32', 'int64']), 'input 1'));
  const exclusive = flagAttribute(call, 'exclusive', false);
  const reverse = flagAttribute(call, 'reverse', false);
  const groups = yield* groupsOf(shape, [normalizeAxis(axis, shape.length, call)], call);
  const { starts, steps } = groups;
  const order = reverse ? Array.from(steps).reverse() : steps;
  const out = newData(call, element, shape);
  if (call.onlyShapes) return [tensorOf(element, shape, out)];
  const accumulate = isBig(element)
    ? accumulator(data as BigIntData, out as BigIntData, BigInt(step.neutral), step.big, exclusive)
    : accumulator(data as NumberData, out as NumberData, step.neutral, step.number(element), exclusive);
  yield* overGroups(call, groups, (from, to) => {
    for (let group = from; group < to; group++) accumulate(starts[group]!, order);
  });
  return [tensorOf(element, shape, isFloat(element) ? roundTo(element, out as NumberData) : out)];
}

const operator = (name: string, versions: readonly [number, number], step: Step): TensorOperator =>
  interruptible({ domain: '', operator: name, versions, steps: (call) => cumulate(call, step) });

/** The operators that compute running sums and products along an axis. */
export const cumulative = tensorOperators(
  operator('CumSum', [11, 25], { neutral: 0, number: () => (a, b) => a + b, big: (a, b) => a + b }),
  operator('CumProd', [26, 26], {
    neutral: 1,
    number: (element) => (isFloat(element) ? (a, b) => a * b : Math.imul),
    big: (a, b) => a * b,
  }),
);
