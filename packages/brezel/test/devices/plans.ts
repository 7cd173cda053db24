import type { FlourContext, Flow, OwnedPlan, Runtime } from 'brezel';
import { vector } from 'brezel';
import { expect } from 'vitest';
import { seed } from '../conformance/seed.js';

export const WIDTH = 24;
let state = seed >>> 0;

/** Returns a random number from -1 to 1, which depends on the seed of the run. */
export function number(): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.fround(state / 2 ** 31 - 1);
}
export const numbers = (count: number): number[] => Array.from({ length: count }, number);

export const features = (flour: FlourContext): Flow<'vector'> =>
  flour.input('x', vector('float32', WIDTH)) as Flow<'vector'>;

const layer = (inputs: number, outputs: number) => ({
  weights: numbers(inputs * outputs),
  bias: numbers(outputs),
  activation: 'tanh' as const,
});

/**
 * Returns a plan with an operator that has no device form, and a network that has a device form.
 */
export const network = (flour: FlourContext): OwnedPlan =>
  flour
    .program({
      y: features(flour)
        .normalize('l2')
        .mlp({ layers: [layer(WIDTH, 16), layer(16, 3)] }),
    })
    .plan();

export const rowsOf = (count: number): { x: number[] }[] =>
  Array.from({ length: count }, () => ({ x: numbers(WIDTH) }));

/** Registers a plan, and releases the reference of the caller. */
export function registered(runtime: Runtime, plan: OwnedPlan, options: Parameters<Runtime['register']>[1] = {}) {
  try {
    return runtime.register(plan, options);
  } finally {
    plan.release();
  }
}

export const listOf = (answer: unknown): number[] => {
  const { y } = answer as { y: number | number[] };
  return typeof y === 'number' ? [y] : [...y];
};

/** Checks that numbers differ by no more than the documented tolerance of lowered stages. */
export function expectNear(received: unknown, wanted: unknown): void {
  const [mine, theirs] = [listOf(received), listOf(wanted)];
  expect(mine.length).toBe(theirs.length);
  mine.forEach((value, at) => {
    const other = theirs[at]!;
    if (Object.is(value, other) || Math.abs(value - other) <= 1e-5 + 1e-4 * Math.abs(other)) return;
    expect.fail(`number ${at}: ${value} instead of ${other}`);
  });
}
