import { broadcast, broadcastPair } from '../broadcast.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { everyElement, floats, isFloat, numbers } from '../elements.js';
import { computedAsSteps, tensorInput, tensorOf } from '../inputs.js';
import { BLOCK, forEachIndex, interruptible } from '../pauses.js';
import { powerOf } from '../power.js';
import { checkBroadcast } from '../shapes.js';
import { elementCount, type Tensor } from '../tensor.js';
import { combinedSteps, twoInputs } from './pairs.js';

/**
 * A power of integers counts against the budget like this many elements, because it takes up to 20
 * µs.
 */
const INTEGER_POWER_ELEMENTS = 16;
/** The number of powers of integers that are computed before the operator may pause. */
const INTEGER_POWER_BLOCK = 64;

/** Computes powers. Base and exponent have any types; the result has the base's type. */
function* pow(call: TensorCall): OperatorSteps {
  const [base, exponent] = [tensorInput(call, 0, numbers), tensorInput(call, 1, numbers)];
  if (call.opset < 12 && base.element !== exponent.element)
    throw call.fault(
      `elements of type ${base.element} and ${exponent.element}`,
      'inputs of one type (before operator set 12)',
    );
  const { shape, indexMaps } = broadcastPair(base, exponent, call);
  const [a, b] = indexMaps as [(at: number) => number, (at: number) => number];
  const power = powerOf(base.element, exponent.element);
  const raise = (at: number) => power(base.data[a(at)]!, exponent.data[b(at)]!);
  const isInteger = !isFloat(base.element);
  if (isInteger) call.budget.take((INTEGER_POWER_ELEMENTS - 1) * elementCount(shape));
  return [
    yield* computedAsSteps(
      call,
      base.element,
      shape,
      (at) => Number(raise(at)),
      (at) => raise(at) as bigint,
      isInteger ? INTEGER_POWER_BLOCK : BLOCK,
    ),
  ];
}

/** Chooses elements of the second input if the condition is true, otherwise of the third. */
function* where(call: TensorCall): OperatorSteps {
  const condition = tensorInput(call, 0, ['bool']);
  const yes = tensorInput(call, 1, everyElement);
  const no = tensorInput(call, 2, [yes.element]);
  const { shape, indexMaps } = broadcast([condition, yes, no], call);
  const [c, y, n] = indexMaps as [(at: number) => number, (at: number) => number, (at: number) => number];
  const choose = (at: number) => (condition.data[c(at)] ? yes.data[y(at)]! : no.data[n(at)]!);
  if (yes.element !== 'string')
    return [
      yield* computedAsSteps(
        call,
        yes.element,
        shape,
        choose as (at: number) => number,
        choose as (at: number) => bigint,
      ),
    ];
  const count = elementCount(shape);
  call.budget.take(count);
  const texts: unknown[] = []; // a list that grows stays a fast array
  yield* forEachIndex(call, count, (at) => {
    texts.push(choose(at));
  });
  return [tensorOf('string', shape, texts)];
}

/**
 * Returns `slope * x` for negative x, otherwise x. Before version 7, a slope of C elements belongs
 * to axis 1.
 */
function* prelu(call: TensorCall): OperatorSteps {
  const [x, given] = twoInputs(call, [...floats, 'int32', 'int64', 'uint32', 'uint64']);
  const slope = call.opset < 7 ? alongChannels(given, x.shape) : given;
  checkBroadcast(slope.shape, x.shape, call);
  const multiply = isFloat(x.element) ? (a: number, b: number) => a * b : Math.imul;
  const apply = {
    number: (a: number, b: number) => (a < 0 ? multiply(a, b) : a),
    big: (a: bigint, b: bigint) => (a < 0n ? a * b : a),
  };
  return [yield* combinedSteps(call, x, slope, apply, broadcast([x, slope], call))];
}

function alongChannels<T extends Tensor>(slope: T, shape: readonly number[]): T {
  if (slope.shape.length !== 1 || slope.shape[0] === 1 || shape.length < 2) return slope;
  return { ...slope, shape: [slope.shape[0], ...new Array<number>(shape.length - 2).fill(1)] };
}

export const mixed = tensorOperators(
  interruptible({ domain: '', operator: 'Pow', versions: [1, 25], steps: pow }),
  interruptible({ domain: '', operator: 'Where', versions: [9, 25], steps: where }),
  interruptible({ domain: '', operator: 'PRelu', versions: [1, 25], steps: prelu }),
);
