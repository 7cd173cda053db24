import {
  floatAttribute,
  floatsAttribute,
  hasAttribute,
  intAttribute,
  intsAttribute,
  stringAttribute,
  stringsAttribute,
  tensorAttribute,
} from '../attributes.js';
import { elementOf } from '../data-types.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { isBig, isFloat, rounding } from '../elements.js';
import { onlyElement, tensorInput } from '../inputs.js';
import { allocate, anyInput, finished, int64, requiredInts } from '../moving.js';
import { forEachIndex, interruptible } from '../pauses.js';
import { shown } from '../shapes.js';
import type { ElementType, Tensor } from '../tensor.js';

/** Operators that create tensors from shapes or scalars. */
export const generate = tensorOperators(
  { domain: '', operator: 'Constant', versions: [1, 25], run: constant },
  interruptible({ domain: '', operator: 'ConstantOfShape', versions: [9, 25], steps: constantOfShape }),
  { domain: '', operator: 'EyeLike', versions: [9, 25], run: eyeLike },
  interruptible({ domain: '', operator: 'Range', versions: [11, 27], steps: range }),
);

/** The attributes that can hold the value of a Constant node. A node has exactly one of them. */
const values: Readonly<Record<string, (call: TensorCall, name: string) => Tensor>> = {
  value: tensorAttribute,
  value_int: (call, name) => int64(call, [], [intAttribute(call, name)]),
  value_ints: (call, name) => list(call, 'int64', intsAttribute(call, name).map(BigInt)),
  value_float: (call, name) => ({ ...list(call, 'float32', [floatAttribute(call, name)]), shape: [] }),
  value_floats: (call, name) => list(call, 'float32', floatsAttribute(call, name)),
  value_string: (call, name) => ({ ...list(call, 'string', [stringAttribute(call, name)]), shape: [] }),
  value_strings: (call, name) => list(call, 'string', stringsAttribute(call, name)),
};

function constant(call: TensorCall) {
  const [name, second] = Object.keys(values).filter((one) => hasAttribute(call, one));
  if (name === undefined || second !== undefined)
    throw call.fault(
      name === undefined ? 'no value' : `both ${name} and ${second}`,
      'exactly one value of the Constant',
    );
  return [values[name]!(call, name)];
}

function list(call: TensorCall, element: ElementType, items: readonly unknown[]): Tensor {
  const made = allocate(call, element, [items.length]);
  items.forEach((item, index) => {
    made.data[index] = item;
  });
  return finished(made);
}

function* constantOfShape(call: TensorCall): OperatorSteps {
  const shape = requiredInts(call, 0);
  const value = hasAttribute(call, 'value') ? tensorAttribute(call, 'value') : undefined;
  const made = allocate(call, value?.element ?? 'float32', shape);
  if (value === undefined) return [finished(made)];
  const element = onlyElement(call, value, 'the value');
  yield* forEachIndex(call, made.data.length, (at) => {
    made.data[at] = element;
  });
  return [finished(made)];
}

function eyeLike(call: TensorCall) {
  const { element, shape } = anyInput(call, 0);
  const [rows, columns] = shape;
  if (rows === undefined || columns === undefined || shape.length !== 2)
    throw call.fault(`shape ${shown(shape)}`, 'a matrix');
  const type = hasAttribute(call, 'dtype') ? elementOf(call, intAttribute(call, 'dtype')) : element;
  if (type === 'string') throw call.fault('a matrix of strings', 'a numeric dtype');
  const made = allocate(call, type, shape);
  const diagonal = intAttribute(call, 'k', 0);
  if (made.data.length === 0) return [finished(made)];
  for (let row = Math.max(0, -diagonal); row < rows && row + diagonal < columns; row++)
    made.data[row * columns + row + diagonal] = isBig(type) ? 1n : 1;
  return [finished(made)];
}

const rangeTypes = ['float32', 'float64', 'float16', 'bfloat16', 'int16', 'int32', 'int64'] as const;

/**
 * Returns `start`, `start + delta`, ... up to `limit`, which is excluded. Each element is one
 * product and one sum, which 16-bit floats compute in float32.
 */
function* range(call: TensorCall): OperatorSteps {
  const { element } = tensorInput(call, 0, rangeTypes);
  if (isShort(element) && intAttribute(call, 'stash_type', 1) !== 1)
    throw call.fault(`stash_type ${intAttribute(call, 'stash_type', 1)}`, 'stash_type 1 (float32) for 16-bit floats');
  const [start, limit, delta] = ['start', 'limit', 'delta'].map((name, index) =>
    onlyElement(call, tensorInput(call, index, [element]), name),
  );
  const made = allocate(call, element, [rangeCount(call, element, start!, limit!, delta!)]);
  const [computing, round] = [rounding(isShort(element) ? 'float32' : element), rounding(element)];
  yield* forEachIndex(call, made.data.length, (index) => {
    made.data[index] = isBig(element)
      ? (start as bigint) + BigInt(index) * (delta as bigint)
      : round(computing((start as number) + computing(index * (delta as number))));
  });
  return [finished(made)];
}

const isShort = (element: ElementType) => element === 'float16' || element === 'bfloat16';

type Element = number | bigint | string;

function rangeCount(call: TensorCall, element: ElementType, start: Element, limit: Element, delta: Element): number {
  const computing = rounding(isShort(element) ? 'float32' : element);
  const steps = isFloat(element)
    ? Math.ceil(computing((limit as number) - (start as number)) / (delta as number))
    : steppedInts(BigInt(start), BigInt(limit), BigInt(delta));
  if (Number(delta) === 0 || Number.isNaN(steps))
    throw call.fault(`a range from ${start} to ${limit} by ${delta}`, 'finite numbers and a step other than 0');
  return Math.max(steps, 0);
}

function steppedInts(start: bigint, limit: bigint, delta: bigint): number {
  if (delta === 0n) return Number.NaN;
  const distance = delta > 0n ? limit - start : start - limit;
  const step = delta > 0n ? delta : -delta;
  return Number((distance + step - 1n) / step);
}
