import { floatAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { floats, isBig, isFloat, numbers, saturated } from '../elements.js';
import {
  type BigIntData,
  computedAsSteps,
  type NumberData,
  type Numeric,
  onlyElement,
  optionalInput,
  tensorInput,
} from '../inputs.js';
import { type KernelFunction, mappedByKernel } from '../kernels.js';
import { interruptible } from '../pauses.js';
import { each } from './each.js';

const LARGEST_FLOAT32 = 3.4028234663852886e38;

/**
 * Returns a bound of a Clip node. Since version 11, the bound is an input with one element of the
 * data's type. In older versions, it is an attribute.
 */
function bound(call: TensorCall, data: Numeric, index: number, attribute: string, otherwise: number) {
  if (call.opset < 11) return floatAttribute(call, attribute, otherwise);
  const tensor = optionalInput(call, index, [data.element]);
  return tensor === undefined ? undefined : (onlyElement(call, tensor, `input ${index}`) as number | bigint);
}

/** Returns the lower and the upper bound of a Clip node. A missing bound is infinite. */
const boundsOf = (least: unknown, most: unknown) => [
  least ?? Number.NEGATIVE_INFINITY,
  most ?? Number.POSITIVE_INFINITY,
];

/**
 * Replaces values below `least` by `least`, then values above `most` by `most`. So all results are
 * `most` if `least` is greater than `most`. NaN stays NaN.
 */
function* clip(call: TensorCall): OperatorSteps {
  const input = tensorInput(call, 0, call.opset < 11 ? floats : numbers);
  const least = bound(call, input, 1, 'min', -LARGEST_FLOAT32);
  const most = bound(call, input, 2, 'max', LARGEST_FLOAT32);
  const limit = <T extends number | bigint>(x: T): T => {
    const raised = least !== undefined && x < least ? (least as T) : x;
    return most !== undefined && raised > most ? (most as T) : raised;
  };
  const { element, shape, data } = input;
  const range: KernelFunction = ['clip', ...(boundsOf(least, most) as [number, number])];
  const fast = element === 'float32' ? yield* mappedByKernel(call, input, range) : undefined;
  if (fast !== undefined) return [fast];
  return [
    yield* computedAsSteps(
      call,
      element,
      shape,
      (at) => limit((data as NumberData)[at]!),
      (at) => limit((data as unknown as BigIntData)[at]!),
    ),
  ];
}

/**
 * Computes `x + bias` below -lambd, `x - bias` above lambd, and 0 between. Integers truncate
 * towards 0 and saturate.
 */
const shrink = each('Shrink', numbers, 9, (call) => {
  const { element } = tensorInput(call, 0, numbers);
  const lambd = floatAttribute(call, 'lambd', 0.5);
  const bias = floatAttribute(call, 'bias', 0);
  const shrunk = (x: number) => (x < -lambd ? x + bias : x > lambd ? x - bias : 0);
  if (isFloat(element)) return { number: shrunk };
  const big = (x: bigint) => {
    if (Number.isInteger(bias)) return x < -lambd ? x + BigInt(bias) : x > lambd ? x - BigInt(bias) : 0n;
    return saturated(shrunk(Number(x)), element);
  };
  return isBig(element) ? { number: shrunk, big } : { number: (x) => Number(saturated(shrunk(x), element)) };
});

/** Operators that limit values or shrink them towards 0. */
export const clipping = tensorOperators(
  interruptible({ domain: '', operator: 'Clip', versions: [1, 25], steps: clip }),
  shrink,
);
