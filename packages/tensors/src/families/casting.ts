import { choiceAttribute, flagAttribute, intAttribute, stringAttribute } from '../attributes.js';
import { conversion, type FloatCast } from '../convert.js';
import { elementOf } from '../data-types.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { everyElement } from '../elements.js';
import { newData, tensorInput, tensorOf } from '../inputs.js';
import type { Elements } from '../moving.js';
import { inBlocks, interruptible } from '../pauses.js';
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
  const out = (to === 'string' ? newTexts(call, elementCount(shape)) : newData(call, to, shape)) as Elements;
  yield* inBlocks(call, out.length, (from, until) => {
    for (let at = from; at < until; at++) out[at] = convert(data[at]!);
  });
  return [tensorOf(to, shape, out)];
}

function newTexts(call: TensorCall, count: number): string[] {
  call.budget.take(count);
  return new Array<string>(count);
}

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
