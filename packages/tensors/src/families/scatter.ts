import { choiceAttribute, intAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { isBig, isFloat, rounding } from '../elements.js';
import { indicesInput } from '../indices.js';
import { tensorInput } from '../inputs.js';
import { anyInput, copied, finished } from '../moving.js';
import { forEachIndex, interruptible } from '../pauses.js';
import { normalizeAxis, shown } from '../shapes.js';
import type { ElementType } from '../tensor.js';
import { elementSources, tuplePicks } from './gather.js';

/**
 * Operators that write elements by index into a copy of the input. If several updates have the same
 * index, the last one wins, or all are combined in order.
 */
export const scatter = tensorOperators(
  interruptible({ domain: '', operator: 'Scatter', versions: [9, 25], steps: scatterElements }),
  interruptible({ domain: '', operator: 'ScatterElements', versions: [11, 25], steps: scatterElements }),
  interruptible({ domain: '', operator: 'ScatterND', versions: [11, 25], steps: scatterBlocks }),
);

function* scatterElements(call: TensorCall): OperatorSteps {
  const data = anyInput(call, 0);
  const axis = normalizeAxis(intAttribute(call, 'axis', 0), data.shape.length, call);
  const indices = indicesInput(call, 1);
  const updates = tensorInput(call, 2, [data.element]);
  if (shown(updates.shape) !== shown(indices.shape))
    throw call.fault(
      `updates ${shown(updates.shape)} for indices ${shown(indices.shape)}`,
      'updates and indices of one shape',
    );
  const combine = combiner(call, data.element);
  const targets = yield* elementSources(call, data, indices, axis);
  const made = copied(call, data);
  yield* forEachIndex(call, targets.length, (at) => {
    const target = targets[at]!;
    made.data[target] = combine(made.data[target], updates.data[at]);
  });
  return [finished(made)];
}

function* scatterBlocks(call: TensorCall): OperatorSteps {
  const data = anyInput(call, 0);
  const updates = tensorInput(call, 2, [data.element]);
  const { starts, size, shape } = yield* tuplePicks(call, data, indicesInput(call, 1), 0);
  if (shown(updates.shape) !== shown(shape))
    throw call.fault(`updates ${shown(updates.shape)}`, `updates of shape ${shown(shape)}`);
  const combine = combiner(call, data.element);
  const made = copied(call, data);
  yield* forEachIndex(call, starts.length * size, (at) => {
    const target = starts[Math.floor(at / size)]! + (at % size);
    made.data[target] = combine(made.data[target], updates.data[at]);
  });
  return [finished(made)];
}

type Combine = (old: unknown, update: unknown) => unknown;
type Reduction = 'add' | 'mul' | 'max' | 'min';

function combiner(call: TensorCall, element: ElementType): Combine {
  const reduction = choiceAttribute(call, 'reduction', ['none', 'add', 'mul', 'max', 'min'], 'none');
  if (reduction === 'none') return (_, update) => update;
  if (element === 'string') throw call.fault(`reduction ${reduction} of strings`, "reduction = 'none' for strings");
  return combine(element)[reduction] as Combine;
}

function combine(element: ElementType): Readonly<Record<Reduction, (a: never, b: never) => unknown>> {
  if (isBig(element)) return ofBigInts;
  if (element === 'bool') return ofBools;
  if (!isFloat(element)) return ofIntegers;
  const round = rounding(element);
  return {
    add: (a: number, b: number) => round(a + b),
    mul: (a: number, b: number) => round(a * b),
    max: Math.max,
    min: Math.min,
  };
}

/**
 * For each reduction, the function that combines two integers. The result wraps around when it is
 * stored.
 */
const ofIntegers = {
  add: (a: number, b: number) => a + b,
  mul: Math.imul,
  max: Math.max,
  min: Math.min,
};

const ofBigInts = {
  add: (a: bigint, b: bigint) => a + b,
  mul: (a: bigint, b: bigint) => a * b,
  max: (a: bigint, b: bigint) => (b > a ? b : a),
  min: (a: bigint, b: bigint) => (b < a ? b : a),
};

const ofBools = { add: Math.max, mul: Math.min, max: Math.max, min: Math.min };
