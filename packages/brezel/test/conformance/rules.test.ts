import { bake, createFlour } from 'brezel';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { describeRules } from './check-rules.js';
import { buildPipeline, pipelineShape } from './random-programs.js';
import { seed } from './seed.js';

const flour = await createFlour();
afterAll(() => flour.dispose());

describeRules(0.25); // rules.long.test.ts runs twenty times as many

test('equal programs, written in another order or in another process, have the same stages', async () => {
  const other = await createFlour({ native: false });
  const property = fc.property(pipelineShape, (shape) => {
    const plans = [
      bake(buildPipeline(flour, shape)),
      bake(buildPipeline(flour, shape, true)),
      bake(buildPipeline(other, shape)),
    ];
    const keys = plans.map((plan) => plan.stages.map(({ stage }) => stage.key).toSorted());
    expect(keys[1]).toEqual(keys[0]);
    expect(keys[2]).toEqual(keys[0]);
    for (const plan of plans) plan.release();
    flour.dispose();
    other.dispose();
  });
  fc.assert(property, { numRuns: 40, seed });
});
