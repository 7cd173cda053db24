import { type DenseBlock, dense, vector } from '@brezel/core';
import { describe, expect, test } from 'vitest';
import { forestPlans, Random, randomForest, randomRows } from '../../../brezel/test/conformance/random-forests.js';
import { linkedForest } from '../../../flour/src/ops/tree-ensemble/linked-forest.js';
import { perfectForest } from '../../../flour/src/ops/tree-ensemble/perfect-forest.js';
import { type Forest, reference } from '../../../flour/src/ops/tree-ensemble/reference.js';
import { fastKernels } from '../../src/fallback/index.js';
import { seed } from './seed.js';

/** Both packed kernels on every forest that they can hold, chosen or not. */
const packable = forestPlans.filter(({ kernel }) => kernel !== 'tree_ensemble');
const kernels = [
  { kernel: 'perfect_forest', build: perfectForest, plans: packable.filter(({ depth }) => depth <= 12) },
  { kernel: 'linked_forest', build: linkedForest, plans: packable },
] as const;

const parametersOf = (forest: Forest) =>
  Object.fromEntries(
    Object.entries(forest).map(([name, data]) => [
      name,
      data instanceof Float32Array
        ? ({ dtype: 'float32', shape: [data.length], data } as const)
        : ({ dtype: 'int32', shape: [data.length], data: data as Int32Array } as const),
    ]),
  );

describe.each(kernels)('$kernel', ({ kernel, build, plans }) => {
  test.each(plans)('$name, bit for bit as the reference', (shape) => {
    const random = new Random(seed);
    const forest = randomForest(random, shape);
    const size = shape.features + 2;
    const type = vector('float32', shape.targets);
    const inputTypes = [vector('float32', size)];
    for (const rows of [1, 5, 40]) {
      const inputs = [dense('float32', rows, size, randomRows(random, rows, size))];
      const got = fastKernels[kernel]!({ rows, inputs, type, attributes: [], parameters: [build(forest)] });
      const want = reference({ rows, inputs, inputTypes, type, attributes: {}, parameters: parametersOf(forest) });
      expect((got as DenseBlock).values, `seed ${seed}`).toEqual((want as DenseBlock).values);
    }
  });
});
