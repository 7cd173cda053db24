import { LaneSum } from '@brezel/core';
import type { TensorCall } from './define.js';
import { tensorInput } from './inputs.js';
import { shown } from './shapes.js';
import type { ElementType, NumericElement } from './tensor.js';

/** Returns input 0 as a tensor `[batch, channels, ...spatial]`. */
export function imageInput<E extends ElementType>(call: TensorCall, elements: readonly E[]) {
  const image = tensorInput(call, 0, elements);
  const [batch, channels, ...spatial] = image.shape;
  if (batch === undefined || channels === undefined || spatial.length === 0)
    throw call.fault(`shape ${shown(image.shape)}`, 'shape [batch, channels, ...spatial axes]');
  return { image, batch, channels, spatial };
}

/**
 * Returns a function that sums all terms: one after another for float64, and in 16 float32 lanes
 * for other types.
 */
export function addUp(element: NumericElement): (each: (term: (value: number) => void) => void) => number {
  if (element === 'float64')
    return (each) => {
      let sum = 0;
      each((value) => {
        sum += value;
      });
      return sum;
    };
  return (each) => {
    const sum = new LaneSum(1);
    each((value) => sum.add(Math.fround(value)));
    return sum.finish()[0]!;
  };
}

/** Returns the sum of numbers, in the order that `addUp` defines. */
export const sumOf = (element: NumericElement, terms: readonly number[]): number =>
  addUp(element)((term) => terms.forEach((value) => term(value)));

/**
 * This many multiplications count against the budget like one element of a result, because a small
 * result may need hours of multiplications.
 */
const PRODUCTS_AN_ELEMENT = 1024;

/**
 * Takes the cost of `products` multiplications from the budget of the call. Call this function
 * before multiplying.
 */
export const takeWork = (call: TensorCall, products: number): void =>
  call.budget.take(Math.floor(products / PRODUCTS_AN_ELEMENT));
