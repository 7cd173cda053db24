import { fileURLToPath } from 'node:url';
import { createRuntime, openFleet } from 'brezel';
import { describe, expect, test } from 'vitest';
import { stores } from './folder.js';

const folder = fileURLToPath(new URL('../../../fleet-file/test/formats/', import.meta.url));

/** A file of every released format must always open. formats/make.mjs created the files. */
describe('format 1', async () => {
  const path = `${folder}v1/fleet.brezel`;
  test.each([...(await stores())])('opens and answers as in its day, %s', async (_, store) => {
    using fleet = await openFleet(path, { store });
    expect(fleet.names).toEqual(['sentiment-a', 'sentiment-b', 'scores-and-tokens']);
    expect(fleet.statistics('sentiment-a')).toEqual({ accuracy: 0.5 });
    expect(await fleet.replay()).toEqual({ plans: 3, rows: 11, differences: [] });
    await using runtime = createRuntime({ store });
    const plan = runtime.register(fleet.plan('sentiment-a'));
    expect(runtime.predictSync(plan, 'a good film')).toEqual({ score: [Math.fround(1 / (1 + Math.exp(-2.625)))] });
  });

  /** The nodes of this forest are in an order that newer versions do not write (ADR 53). */
  test.each([...(await stores())])('a linked forest of an earlier version opens and answers, %s', async (_, store) => {
    using fleet = await openFleet(`${folder}v1/linked-forest.brezel`, { store });
    const kernels = fleet.plan('forest').stages.flatMap(({ stage }) => stage.calls!.map(({ kernel }) => kernel));
    expect(kernels).toEqual(['linked_forest']);
    expect(await fleet.replay()).toEqual({ plans: 1, rows: 12, differences: [] });
    await using runtime = createRuntime({ store });
    const plan = runtime.register(fleet.plan('forest'));
    // enough rows for kernels that compare the top of a tree with many rows
    const rows = Array.from({ length: 70 }, (_, row) => ({ x: [row / 70, row % 3 ? 0.5 : Number.NaN, 1 - row / 70] }));
    const batch = await runtime.predictBatch(plan, rows);
    expect(batch).toEqual(rows.map((row) => runtime.predictSync(plan, row)));
  });
});
