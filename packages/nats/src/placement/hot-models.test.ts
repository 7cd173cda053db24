import { expect, test } from 'vitest';
import { HotModels, type ReplicaChange } from './hot-models.js';

/** Observes a model on one server several times, and returns the changes. */
const observe = (hot: HotModels, times: number, queue: number, meanMs: number): ReplicaChange[] =>
  Array.from({ length: times }, () => hot.observe('m', [{ queue, meanMs }]));

test('a model with a queue that is slower than usual gets a server after three reports', () => {
  const hot = new HotModels();
  expect(observe(hot, 5, 1, 2)).toEqual([0, 0, 0, 0, 0]);
  expect(observe(hot, 3, 8, 10)).toEqual([0, 0, 1]);
  expect(observe(hot, 10, 8, 10)).toEqual(Array(10).fill(0));
});

test('a model that is always slow is not hot, and a short burst is not', () => {
  const hot = new HotModels();
  expect(observe(hot, 20, 8, 50)).not.toContain(1);
  expect(observe(hot, 2, 8, 500)).toEqual([0, 0]);
  expect(observe(hot, 1, 1, 50)).toEqual([0]);
  expect(observe(hot, 2, 8, 500)).toEqual([0, 0]);
});

test('a long queue is enough', () => {
  expect(observe(new HotModels(), 3, 40, 5)).toEqual([0, 0, 1]);
});

test('the mean of the servers decides', () => {
  const hot = new HotModels();
  const loads = [
    { queue: 40, meanMs: 5 },
    { queue: 0, meanMs: 0 },
  ];
  expect(Array.from({ length: 5 }, () => hot.observe('m', loads))).not.toContain(1);
});

test('a model gives a server back after 60 idle reports', () => {
  const changes = observe(new HotModels(), 60, 0, 0);
  expect(changes.slice(0, 59)).not.toContain(-1);
  expect(changes[59]).toBe(-1);
});

test('a model of another server is forgotten', () => {
  const hot = new HotModels();
  observe(hot, 2, 40, 5);
  hot.retain(new Set());
  expect(observe(hot, 1, 40, 5)).toEqual([0]);
});
