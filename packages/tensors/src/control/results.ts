import type { TensorPort } from '@brezel/core';
import type { NodeCall } from '../executable.js';
import { normalizeAxis } from '../shapes.js';
import { elementArray, type Tensor } from '../tensor.js';
import { stack } from './slices.js';

/**
 * Stacks the results of all iterations along a new axis, which may be negative. Without iterations,
 * returns an empty tensor of the declared type.
 */
export function stackResults(results: readonly Tensor[], axis: number, declared: TensorPort, call: NodeCall): Tensor {
  const [first] = results;
  if (first === undefined) return emptyResult(axis, declared, call);
  const odd = results.find(
    ({ element, shape }) =>
      element !== first.element ||
      shape.length !== first.shape.length ||
      shape.some((size, at) => size !== first.shape[at]),
  );
  if (odd !== undefined) {
    const shown = `${first.element}[${first.shape}] and then ${odd.element}[${odd.shape}]`;
    throw call.fault(`${shown} for "${declared.name}"`, 'one type and shape in all iterations');
  }
  return stack(results, normalizeAxis(axis, first.shape.length + 1, call), call.budget);
}

/**
 * Returns the result of a loop without iterations: an empty tensor. Axes of unknown size get size
 * 0.
 */
function emptyResult(axis: number, { name, element, shape = [] }: TensorPort, call: NodeCall): Tensor {
  if (element === undefined) {
    throw call.fault(
      `no iteration, and no declared type of "${name}"`,
      'a declared type of each scan output, or at least one iteration',
      'declare the types of the body in the model file',
    );
  }
  const sizes = shape.map((size) => (typeof size === 'number' ? size : 0));
  const full = sizes.toSpliced(normalizeAxis(axis, sizes.length + 1, call), 0, 0);
  return element === 'string'
    ? { element, shape: full, data: [] }
    : ({ element, shape: full, data: elementArray(element, 0) } as Tensor);
}
