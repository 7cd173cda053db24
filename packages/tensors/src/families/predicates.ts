import { flagAttribute } from '../attributes.js';
import { type TensorCall, tensorOperators } from '../define.js';
import { floats, integers } from '../elements.js';
import { computed, type NumberData, tensorInput } from '../inputs.js';
import type { ElementType, Tensor } from '../tensor.js';
import { each } from './each.js';

const test = (
  operator: string,
  elements: readonly ElementType[],
  since: number,
  holdsFor: (call: TensorCall) => (x: number) => boolean,
) => ({
  domain: '' as const,
  operator,
  versions: [since, 25] as const,
  run(call: TensorCall): Tensor[] {
    const { shape, data } = tensorInput(call, 0, elements);
    const holds = holdsFor(call);
    return [computed(call, 'bool', shape, (at) => (holds((data as NumberData)[at]!) ? 1 : 0))];
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
