import { broadcast } from '../broadcast.js';
import { type TensorCall, type TensorOperator, tensorOperators } from '../define.js';
import { floats, numbers } from '../elements.js';
import { type Numeric, sameInputs } from '../inputs.js';
import { floatOperations, integerOperations } from '../shared/operations.js';
import type { NumericElement } from '../tensor.js';
import { mapped } from './each.js';
import { combined, type PairFunction } from './pairs.js';

/**
 * Combines the inputs by a function, from left to right. Before version 8, all inputs must have the
 * same shape.
 */
function folded(call: TensorCall, elements: readonly NumericElement[], apply: PairFunction): Numeric {
  const [first, ...others] = sameInputs(call, elements);
  if (call.opset < 8) checkOneShape(call, [first!, ...others]);
  const next = (sum: Numeric, other: Numeric) => combined(call, sum, other, apply, broadcast([sum, other], call));
  return others.reduce<Numeric>((sum, other) => next(sum, other) as Numeric, first!);
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
  finish = (_call: TensorCall, folded: Numeric): Numeric => folded,
): TensorOperator => ({
  domain: '',
  operator,
  versions: [1, 25],
  run: (call) => [finish(call, folded(call, elements, apply))],
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
  variadic('Mean', floats, add, (call, sum) => mapped(call, sum, { number: (x) => x / call.inputs.length }) as Numeric),
);
