import type { Flow } from '@brezel/flour';
import { createFlour } from 'brezel';
import { expect, it } from 'vitest';
import { below, features, numbers, oddRows, randomForest, rowsOf } from './random.js';
import { compareStages } from './run-lowered.js';

// Compares random lowered networks and forests with their references. `BREZEL_FUZZ_RUNS` sets the
// number of runs.

const runs = Number(process.env.BREZEL_FUZZ_RUNS ?? 150);
const activations = ['none', 'relu', 'sigmoid', 'tanh'] as const;

it(`${runs} random networks give the answers of their references`, async () => {
  const flour = await createFlour();
  let lowered = 0;
  for (let run = 0; run < runs; run++) {
    const width = 1 + below(40);
    const plan = network(features(flour, width), width).plan();
    lowered += (await compareStages(plan, rowsOf(1 + below(40), width), flour.store)).length;
  }
  expect(lowered).toBeGreaterThanOrEqual(runs);
});

/** Returns layers of random sizes, sometimes over a projection or over distances. */
function network(x: Flow<'vector'>, width: number): Flow<'vector'> {
  const size = 1 + below(30);
  const starts = [
    () => x.dense({ weights: numbers(width * size), bias: numbers(size), activation: activations[below(4)]! }),
    () => x.project({ components: numbers(width * size), mean: numbers(width) }),
    () => x.kMeansDistances({ centers: numbers(width * size) }),
    () => x.svmKernel({ kernel: 'rbf', gamma: 1 / width, supportVectors: numbers(width * size) }),
  ];
  const hidden = starts[below(starts.length)]!();
  const outputs = 1 + below(5);
  const weights = numbers(size * outputs).map((weight) => weight / size);
  return hidden.dense({ weights, bias: numbers(outputs), activation: activations[below(4)]! });
}

it(`${runs} random forests give the answers of their references, as products and as steps`, async () => {
  const flour = await createFlour();
  for (let run = 0; run < runs; run++) {
    const [width, trees, depth, targets] = [1 + below(20), 1 + below(30), below(9), 1 + below(4)];
    const modes = [[0], [1, 3], [0, 1, 2, 3]][below(3)]!;
    const forest = randomForest({ trees, depth, features: width, targets, modes, missing: below(2) === 0 });
    const plan = features(flour, width).treeEnsemble(forest).plan();
    const rows = oddRows(1 + below(60), width, true);
    for (const strategy of ['gemm', 'traversal'] as const)
      expect((await compareStages(plan, rows, flour.store, { forest: strategy })).length).toBe(1);
  }
});
