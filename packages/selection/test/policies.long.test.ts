import { expect, it } from 'vitest';
import { exp3, exp4, type LogWeights, type SelectionPolicy } from '../dist/index.js';
import { drawing } from './drawing.js';

const UPDATES = 10_000_000;

/** Runs many updates of a policy where candidate `a` always loses, and then none of the others. */
function updated(policy: SelectionPolicy, count: number): Readonly<Record<string, number>> {
  const random = drawing(5);
  let state = policy.init(['a', 'b', 'c']);
  for (let update = 0; update < count; update++) {
    const losses = { a: 1, b: random() < 0.5 ? 1 : 0, c: 0 };
    state = policy.observe(state, { losses, probabilities: { a: 0.01, b: 0.5, c: 1 } });
  }
  expect(Object.values(state as LogWeights).every(Number.isFinite)).toBe(true);
  return policy.weights!(state, ['a', 'b', 'c']);
}

it.each<[string, SelectionPolicy]>([
  ['exp3', exp3() as SelectionPolicy],
  ['exp4 without sharing weights', exp4({ share: 0 }) as SelectionPolicy],
])(`%s: after ${UPDATES} updates, no weight underflows`, (_name, policy) => {
  const weights = updated(policy, UPDATES);
  const sum = Object.values(weights).reduce((total, weight) => total + weight, 0);
  expect(sum).toBeCloseTo(1, 12);
  expect(weights.c).toBeGreaterThan(0.99);
});
