import { BrezelError, createFlour, createRuntime, importModel, openFleet, packFleet } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { linearModel, regressorModel, treeModel } from '../robustness/models.js';
import { stores, temporaryFolder } from './folder.js';
import { blobsOf, forge, forgeBlob, partsOf, unpack } from './forge.js';

const files = temporaryFolder();
afterAll(files.remove);
const [path, forged] = [files.path('fleet.brezel'), files.path('forged.brezel')];

/** Numbers of element types in a file, and another type of the same size. */
const ALIKE = [3, 2, 1, 0]; // float32 and int32, float64 and int64

/** Writes a fleet file of one model to `path`. */
async function packed(model: Uint8Array): Promise<void> {
  const flour = await createFlour();
  const imported = importModel(model, flour);
  if (imported.kind !== 'row') throw imported.why;
  const plan = imported.program.plan();
  await packFleet([plan], path, { store: flour.store });
  plan.release();
  flour.dispose();
}

describe('a file whose parameters have other element types is rejected', () => {
  test.each([
    ['linear', linearModel],
    ['tree', treeModel],
    ['regressor', regressorModel],
  ])('%s', async (_, model) => {
    await packed(model());
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

/** The number of int32 in a file. */
const INT32 = 3;

describe('a forest with an impossible integer is rejected, or answers alike on both engines', () => {
  test.each([-8_388_608, 7, 2 ** 31 - 1])('%d', async (integer) => {
    await packed(treeModel());
    const numbers = blobsOf(unpack(partsOf(path).manifest)).dtypes.flatMap((type, at) => (type === INT32 ? [at] : []));
    expect(numbers.length).toBeGreaterThan(5);
    const outcomes = await Promise.all(
      numbers.map(async (number) => {
        const file = files.path(`${integer} ${number}.brezel`);
        forgeBlob(path, file, number, (bytes) => bytes.writeInt32LE(integer));
        return outcome(file);
      }),
    );
    expect(outcomes).toContain('ERR_FLEET_STAGE');
    expect(outcomes).not.toContain('differing answers');
  });
});

const rows = [0, 2, 4, Number.NaN].flatMap((a) => [0, 2, 4].map((b) => ({ x: [a, b] })));

/** Opens a file and compares its answers with the reference. Returns the code of an error. */
async function outcome(file: string): Promise<string> {
  try {
    using fleet = await openFleet(file);
    await using runtime = createRuntime({ store: fleet.store });
    const opened = fleet.plan(fleet.names[0]!);
    const plan = runtime.register(opened);
    opened.release();
    const answers = await runtime.predictBatch(plan, rows);
    const expected = await runtime.predictBatch(plan, rows, { engine: 'reference' });
    return JSON.stringify(answers) === JSON.stringify(expected) ? 'equal answers' : 'differing answers';
  } catch (error) {
    if (error instanceof BrezelError) return error.code;
    throw error;
  }
}
