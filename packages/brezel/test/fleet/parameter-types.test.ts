import { createFlour, importModel, openFleet, packFleet } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { linearModel, regressorModel, treeModel } from '../robustness/models.js';
import { stores, temporaryFolder } from './folder.js';
import { blobsOf, forge, partsOf, unpack } from './forge.js';

const files = temporaryFolder();
afterAll(files.remove);
const [path, forged] = [files.path('fleet.brezel'), files.path('forged.brezel')];

/** Numbers of element types in a file, and another type of the same size. */
const ALIKE = [3, 2, 1, 0]; // float32 and int32, float64 and int64

describe('a file whose parameters have other element types is rejected', () => {
  test.each([
    ['linear', linearModel],
    ['tree', treeModel],
    ['regressor', regressorModel],
  ])('%s', async (_, model) => {
    const flour = await createFlour();
    const imported = importModel(model(), flour);
    if (imported.kind !== 'row') throw imported.why;
    const plan = imported.program.plan();
    await packFleet([plan], path, { store: flour.store });
    plan.release();
    flour.dispose();
    const types = blobsOf(unpack(partsOf(path).manifest)).dtypes;
    expect(types.some((type) => type in ALIKE)).toBe(true);
    for (const [number, type] of types.entries()) {
      if (!(type in ALIKE)) continue;
      forge(path, forged, (fleet) => {
        blobsOf(fleet).dtypes[number] = ALIKE[type]!;
      });
      for (const store of (await stores()).values()) {
        await expect(openFleet(forged, { store })).rejects.toMatchObject({ code: 'ERR_FLEET_STAGE' });
        expect(store.stats().objects).toBe(0);
      }
    }
  });
});
