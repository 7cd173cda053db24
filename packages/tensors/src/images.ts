import { LaneSum } from '@brezel/core';
import type { TensorCall } from './define.js';
import { tensorInput } from './inputs.js';
import { shown } from './shapes.js';
import type { ElementType, NumericElement } from './tensor.js';

/** Input 0 as a tensor `[batch, channels, ...spatial]`. */
export function imageInput<E extends ElementType>(call: TensorCall, elements: readonly E[]) {
  const image = tensorInput(call, 0, elements);
  const [batch, channels, ...spatial] = image.shape;
  if (batch === undefined || channels === undefined || spatial.length === 0)
    throw call.fault(`shape ${shown(image.shape)}`, 'it takes [batch, channels, ...spatial axes]');
  return { image, batch, channels, spatial };
}

/** Adds up all that `each` tells it: in float64 for doubles, in order; in 16 float32 lanes for all others, as every lone sum here. */
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

/** The sum of some numbers, as `addUp` adds them. */
export const sumOf = (element: NumericElement, terms: readonly number[]): number =>
  addUp(element)((term) => terms.forEach((value) => term(value)));

/** Long sums count, too: who may make a million elements may not multiply for hours. */
const PRODUCTS_AN_ELEMENT = 1024;

/** Counts `products` multiplications against the budget, before the first of them. */
export const takeWork = (call: TensorCall, products: number): void =>
  call.budget.take(Math.floor(products / PRODUCTS_AN_ELEMENT));
