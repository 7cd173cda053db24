import { broadcast } from '../broadcast.js';
import { type OperatorSteps, type TensorCall, type TensorOperator, tensorOperators } from '../define.js';
import { floats, numbers } from '../elements.js';
import { type Numeric, sameInputs } from '../inputs.js';
import { interruptible } from '../pauses.js';
import { floatOperations, integerOperations } from '../shared/operations.js';
import type { NumericElement } from '../tensor.js';
import { mappedSteps } from './each.js';
import { combinedSteps, type PairFunction } from './pairs.js';

/**
 * Combines the inputs by a function, from left to right. Before version 8, all inputs must have the
 * same shape.
 */
function* folded(call: TensorCall, elements: readonly NumericElement[], apply: PairFunction): OperatorSteps<Numeric> {
  const [first, ...others] = sameInputs(call, elements);
  if (call.opset < 8) checkOneShape(call, [first!, ...others]);
  let sum: Numeric = first!;
  for (const other of others)
    sum = (yield* combinedSteps(call, sum, other, apply, broadcast([sum, other], call))) as Numeric;
  return sum;
}

function checkOneShape(call: TensorCall, tensors: readonly Numeric[]): void {
  const shapes = new Set(tensors.map(({ shape }) => `[${shape}]`));
  if (shapes.size > 1)
    throw call.fault(`shapes ${[...shapes].join(' and ')}`, 'inputs of one shape (before operator set 8)');
}

const variadic = (
  operator: string,
  elements: readonly NumericElement[],
  apply: PairFunction,
  divides = false,
): TensorOperator =>
  interruptible({
    domain: '',
    operator,
    versions: [1, 25],
    *steps(call) {
      const sum = yield* folded(call, elements, apply);
      return [divides ? yield* mappedSteps(call, sum, { number: (x) => x / call.inputs.length }) : sum];
    },
  });

const functionOf = (name: 'add' | 'maximum' | 'minimum'): PairFunction => ({
  number: floatOperations[name],
  big: integerOperations[name],
});
const add = functionOf('add');

/**
 * Operators that take any number of inputs. Sum and Mean round after each addition. Max and Min
 * return NaN if an element is NaN, and the first of several equal elements.
 */
export const variadics = tensorOperators(
  variadic('Max', numbers, functionOf('maximum')),
  variadic('Min', numbers, functionOf('minimum')),
  variadic('Sum', floats, add),
  variadic('Mean', floats, add, true),
);
