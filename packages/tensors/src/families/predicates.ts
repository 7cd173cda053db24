import { flagAttribute } from '../attributes.js';
import { type TensorCall, tensorOperators } from '../define.js';
import { floats, integers } from '../elements.js';
import { computedSteps, type NumberData, tensorInput } from '../inputs.js';
import { interruptible } from '../pauses.js';
import type { ElementType } from '../tensor.js';
import { each } from './each.js';

const test = (
  operator: string,
  elements: readonly ElementType[],
  since: number,
  holdsFor: (call: TensorCall) => (x: number) => boolean,
) =>
  interruptible({
    domain: '',
    operator,
    versions: [since, 25],
    *steps(call) {
      const { shape, data } = tensorInput(call, 0, elements);
      const holds = holdsFor(call);
      return [yield* computedSteps(call, 'bool', shape, (at) => (holds((data as NumberData)[at]!) ? 1 : 0))];
    },
  });

/** Operators that test each element, and operators that negate or invert each element. */
export const predicates = tensorOperators(
  test('IsNaN', floats, 9, () => Number.isNaN),
  test('IsInf', floats, 10, (call) => {
    const negative = flagAttribute(call, 'detect_negative', true);
    const positive = flagAttribute(call, 'detect_positive', true);
    return (x) => (negative && x === Number.NEGATIVE_INFINITY) || (positive && x === Number.POSITIVE_INFINITY);
  }),
  test('Not', ['bool'], 1, () => (x) => x === 0),
  each('BitwiseNot', integers, 18, () => ({ number: (x) => ~x, big: (x) => ~x })),
);
