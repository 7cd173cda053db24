import { bake, createFlour, type Flow, vector } from 'brezel';
import { expect, test } from 'vitest';

/**
 * Oven's estimate of the cost of an operator may differ by this factor from the measured time. This
 * test measures nothing: the times below were measured with `runtime.profile` on an idle machine
 * with AVX-512. Each is the mean of the time of a single row and of a row in a block of 256.
 */
const FACTOR = 3;

const flour = await createFlour();
const numbers = (count: number) => Float32Array.from({ length: count }, (_, at) => Math.sin(at));

/** Returns the average of full trees over 20 features, which run as a general forest. */
function averaged(x: Flow<'vector'>, trees: number, depth: number): Flow<'vector'> {
  const [size, inner] = [2 ** (depth + 1) - 1, 2 ** depth - 1];
  const count = trees * size;
  const forest = {
    feature: new Int32Array(count).map((_, node) => node % 20),
    threshold: new Float64Array(count),
    mode: new Int32Array(count).map((_, node) => (node % size < inner ? 0 : 6)),
    trueChild: new Int32Array(count).map((_, node) => node + (node % size) + 1),
    falseChild: new Int32Array(count).map((_, node) => node + (node % size) + 2),
    missingTrue: new Int32Array(count),
    roots: new Int32Array(trees).map((_, tree) => tree * size),
    leafStart: new Int32Array(count + 1).map(
      (_, node) => Math.floor(node / size) * 2 ** depth + Math.max(0, (node % size) - inner),
    ),
    leafTarget: new Int32Array(trees * 2 ** depth),
    leafWeight: new Float64Array(trees * 2 ** depth).fill(1),
    base: new Float64Array(1),
    memberStart: new Int32Array(count + 1),
    members: new Float64Array(0),
  };
  return x.forest(forest, 'average');
}

type Build = (x: Flow<'vector'>) => Flow;
const dense =
  (features: number, outputs: number, activation: 'none' | 'tanh'): Build =>
  (x) =>
    x.dense({ weights: numbers(features * outputs), bias: numbers(outputs), activation });

test.each<[name: string, features: number, build: Build, nanoseconds: number]>([
  ['dense 16 x 8', 16, dense(16, 8, 'none'), 32],
  ['dense 100 x 100, tanh', 100, dense(100, 100, 'tanh'), 1310],
  ['dense 784 x 128', 784, dense(784, 128, 'none'), 1870],
  ['dense 1000 x 512', 1000, dense(1000, 512, 'none'), 13_400],
  ['linear 100 x 20', 100, (x) => x.linear({ weights: numbers(2000), bias: numbers(20) }), 160],
  ['project 784 x 50', 784, (x) => x.project({ components: numbers(784 * 50), mean: numbers(784) }), 1450],
  ['k-means 50 x 8', 50, (x) => x.kMeansDistances({ centers: numbers(400) }), 400],
  ['k-means 64 x 100', 64, (x) => x.kMeansDistances({ centers: numbers(6400) }), 1030],
  ['sigmoid of 100', 100, (x) => x.map('sigmoid'), 800],
  ['softmax of 100', 100, (x) => x.softmax(), 810],
  ['10 averaged trees of 3 levels', 20, (x) => averaged(x, 10, 3), 98],
  ['100 averaged trees of 6 levels', 20, (x) => averaged(x, 100, 6), 960],
  ['100 averaged trees of 10 levels', 20, (x) => averaged(x, 100, 10), 7760],
])('%s', (_, features, build, nanoseconds) => {
  const plan = bake(flour.program({ y: build(flour.input('x', vector('float32', features)) as Flow<'vector'>) }));
  const estimate = plan.stages.reduce((sum, { marks }) => sum + marks.nanosPerRow, 0);
  expect(estimate).toBeGreaterThan(nanoseconds / FACTOR);
  expect(estimate).toBeLessThan(nanoseconds * FACTOR);
  plan.release();
});
