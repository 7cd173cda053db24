import type { Budget } from '../define.js';
import { elementArray, elementCount, type Tensor } from '../tensor.js';

/** Returns the number of elements before and after an axis. */
function around(shape: readonly number[], axis: number): { readonly before: number; readonly after: number } {
  return { before: elementCount(shape.slice(0, axis)), after: elementCount(shape.slice(axis + 1)) };
}

/**
 * Returns the part of a tensor at one index of an axis, without that axis. The caller ensures that
 * `axis < rank` and `index < shape[axis]`.
 */
export function sliceAt(tensor: Tensor, axis: number, index: number, budget: Budget): Tensor {
  const { before, after } = around(tensor.shape, axis);
  const size = tensor.shape[axis]!;
  const shape = tensor.shape.toSpliced(axis, 1);
  budget.take(before * after);
  const blocks = after === 0 ? 0 : before; // a huge shape may have no elements
  if (tensor.element === 'string') {
    const data: string[] = [];
    for (let block = 0; block < blocks; block++) copyStrings(tensor.data, (block * size + index) * after, after, data);
    return { element: 'string', shape, data };
  }
  const data = elementArray(tensor.element, before * after);
  for (let block = 0; block < blocks; block++) {
    const start = (block * size + index) * after;
    data.set(tensor.data.subarray(start, start + after) as never, block * after);
  }
  return { element: tensor.element, shape, data } as Tensor;
}

/**
 * Stacks one or more tensors of equal shape and element type along a new axis. The caller ensures
 * that `axis <= rank`.
 */
export function stack(tensors: readonly Tensor[], axis: number, budget: Budget): Tensor {
  const [{ element, shape: inner }] = tensors as readonly [Tensor, ...Tensor[]];
  const shape = inner.toSpliced(axis, 0, tensors.length);
  const { before, after } = around(shape, axis);
  budget.take(elementCount(shape));
  const blocks = after === 0 ? 0 : before;
  const strings: string[] = [];
  const numbers = elementArray(element === 'string' ? 'bool' : element, element === 'string' ? 0 : elementCount(shape));
  for (let block = 0; block < blocks; block++) {
    tensors.forEach((tensor, at) => {
      const start = block * after;
      if (tensor.element === 'string') copyStrings(tensor.data, start, after, strings);
      else numbers.set(tensor.data.subarray(start, start + after) as never, (block * tensors.length + at) * after);
    });
  }
  return { element, shape, data: element === 'string' ? strings : numbers } as Tensor;
}

function copyStrings(from: readonly string[], start: number, count: number, to: string[]): void {
  for (let at = start; at < start + count; at++) to.push(from[at]!);
}
