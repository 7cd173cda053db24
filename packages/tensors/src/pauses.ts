import type { OperatorSteps, TensorCall, TensorOperator } from './define.js';

/**
 * The number of elements that a loop computes before it checks whether the slice of time is over.
 * They take 0.02 to 1 ms.
 */
export const BLOCK = 2 ** 14;

/**
 * Runs a loop over the indices from 0 to `count` in blocks of `block` indices. Pauses between two
 * blocks if the slice of time is over.
 */
export function* inBlocks(
  call: TensorCall,
  count: number,
  run: (from: number, to: number) => void,
  block = BLOCK,
): OperatorSteps<void> {
  let from = 0;
  if (call.isOver !== undefined)
    for (; from + block < count; from += block) {
      run(from, from + block);
      if (call.isOver()) yield;
    }
  run(from, count);
}

/** Does the same as `inBlocks`, for a function that handles one index. */
export const forEachIndex = (
  call: TensorCall,
  count: number,
  run: (index: number) => void,
  block = BLOCK,
): OperatorSteps<void> =>
  inBlocks(
    call,
    count,
    (from, to) => {
      for (let index = from; index < to; index++) run(index);
    },
    block,
  );

/**
 * Returns the number of elements in a block of a loop that multiplies `products` numbers for each
 * element. The block takes about 1 ms.
 */
export const blockOf = (products: number): number => Math.ceil(2 ** 19 / (products + 1));

/** Returns work that has already ended with a result. Costs less than a generator. */
export const ended = <Result>(value: Result): OperatorSteps<Result> => new Ended(value) as never;

class Ended<Result> {
  readonly #value: Result;

  constructor(value: Result) {
    this.#value = value;
  }

  next(): IteratorReturnResult<Result> {
    return { done: true, value: this.#value };
  }

  [Symbol.iterator](): this {
    return this;
  }
}

/** Runs work to its end without a pause, and returns its result. */
export function withoutPause<Result>(steps: OperatorSteps<Result>): Result {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Declares an operator that can pause: its function `run` runs the function `steps` to its end. */
export const interruptible = (
  operator: Pick<TensorOperator, 'domain' | 'operator' | 'versions'> & Required<Pick<TensorOperator, 'steps'>>,
): TensorOperator => ({ ...operator, run: (call) => withoutPause(operator.steps(call)) });
