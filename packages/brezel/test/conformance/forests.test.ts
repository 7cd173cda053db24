import { vector } from '@brezel/core';
import type { CompiledPlan, Flow } from 'brezel';
import { bake, createFlour } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { programOf } from '../../../flour/src/case.js';
import { Engines, expectSame } from './engines.js';
import { forestPlans, Random, randomForest, randomRows } from './random-forests.js';
import { seed } from './seed.js';

/**
 * Forests of every shape. The test checks the kernel that Oven chooses, and that every engine gives
 * the same bits for few and many rows.
 */

const ROWS = [1, 2, 7, 16, 17, 256, 1000];
const FEATURES_MORE = 3; // columns that no tree reads

const flour = await createFlour();
const engines = new Engines(flour.store);
afterAll(() => flour.dispose());

const kernelsOf = (plan: CompiledPlan) =>
  plan.stages.flatMap(({ stage }) => stage.calls ?? []).map(({ kernel }) => kernel);

describe.each(forestPlans)('$name', (shape) => {
  test(`runs as ${shape.kernel}, and all engines agree`, async () => {
    const random = new Random(seed);
    const forest = randomForest(random, shape);
    const size = shape.features + FEATURES_MORE;
    const x = flour.input('x', vector('float32', size)) as Flow<'vector'>;
    const plan = bake(programOf(flour, { build: () => ({ y: x.treeEnsemble(forest) }) }), { exact: true });
    try {
      expect(kernelsOf(plan)).toEqual([shape.kernel]);
      for (const count of ROWS) {
        const values = randomRows(random, count, size);
        const rows = Array.from({ length: count }, (_, row) => {
          const numbers = values.subarray(row * size, (row + 1) * size);
          // Rows alternate between typed and plain arrays.
          return { x: row % 2 === 0 ? Float64Array.from(numbers) : Array.from(numbers) };
        });
        const { answers } = await engines.answers(plan, rows);
        expectSame(answers, answers.get('reference')!);
      }
    } finally {
      plan.release();
    }
  });
});
