import { choiceAttribute, flagAttribute, intAttribute, stringAttribute } from '../attributes.js';
import { conversion, type FloatCast } from '../convert.js';
import { elementOf } from '../data-types.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { everyElement } from '../elements.js';
import { newData, tensorInput, tensorOf } from '../inputs.js';
import type { Elements } from '../moving.js';
import { BLOCK, forEachIndex, interruptible } from '../pauses.js';
import { type ElementType, elementCount } from '../tensor.js';

/**
 * Element types by name. Cast nodes of versions before 6 contain a type name instead of a number.
 */
const names: Readonly<Record<string, ElementType>> = {
  FLOAT: 'float32',
  DOUBLE: 'float64',
  FLOAT16: 'float16',
  INT8: 'int8',
  INT16: 'int16',
  INT32: 'int32',
  INT64: 'int64',
  UINT8: 'uint8',
  UINT16: 'uint16',
  UINT32: 'uint32',
  UINT64: 'uint64',
  BOOL: 'bool',
};

function target(call: TensorCall): ElementType {
  if (call.opset >= 6) return elementOf(call, intAttribute(call, 'to'));
  const name = stringAttribute(call, 'to').toUpperCase();
  const element = names[name];
  if (element === undefined) throw call.fault(`to = '${name}'`, `to as one of ${Object.keys(names).join(', ')}`);
  return element;
}

const roundModes = ['up', 'down', 'nearest'] as const;

/**
 * Returns how a Cast node converts numbers to 8-bit floats. `saturate` exists since version 19 of
 * Cast, `round_mode` since version 24.
 */
const floatCast = (call: TensorCall): FloatCast => ({
  saturate: call.opset < 19 || flagAttribute(call, 'saturate', true),
  roundMode: call.opset < 24 ? 'up' : choiceAttribute(call, 'round_mode', roundModes, 'up'),
});

function* cast(call: TensorCall, to: ElementType): OperatorSteps {
  const input = tensorInput(call, 0, everyElement);
  if (input.element === to) return [input];
  const { shape, data } = input;
  const convert = conversion(input.element, to, call, floatCast(call));
  const count = elementCount(shape);
  const hasTexts = to === 'string' || input.element === 'string';
  if (hasTexts) call.budget.take((TEXT_ELEMENTS - 1) * count);
  if (to === 'string') call.budget.take(count);
  // A list that grows stays a fast array. An array that starts with millions of holes does not.
  const out = (to === 'string' ? [] : newData(call, to, shape)) as Elements;
  const convertAt = (at: number) => {
    out[at] = convert(data[at]!);
  };
  yield* forEachIndex(call, count, convertAt, hasTexts ? TEXT_BLOCK : BLOCK);
  return [tensorOf(to, shape, out)];
}

/**
 * A conversion between a text and a number counts against the budget like this many elements,
 * because it takes up to 10 µs.
 */
const TEXT_ELEMENTS = 16;
/** The number of texts that are converted before the operator may pause. */
const TEXT_BLOCK = 128;

/** The operators that convert elements to another type. */
export const casts = tensorOperators(
  interruptible({ domain: '', operator: 'Cast', versions: [1, 25], steps: (call) => cast(call, target(call)) }),
  interruptible({
    domain: '',
    operator: 'CastLike',
    versions: [15, 25],
    steps: (call) => cast(call, tensorInput(call, 1, everyElement).element),
  }),
);
