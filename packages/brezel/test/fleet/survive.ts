import { BrezelError, createRuntime, type ObjectStore, openFleet } from 'brezel';
import { expect } from 'vitest';
import { rowsOf } from '../../src/fleet/golden.js';

/**
 * Opens a manipulated file and runs its plans. Returns the code of the first error, or `works`.
 *
 * @throws if the error is not a Brezel error, or if objects remain in the store.
 */
export async function outcome(
  path: string,
  store: ObjectStore,
  verify: boolean,
  open: typeof openFleet = openFleet,
): Promise<string> {
  let code = 'works';
  try {
    using fleet = await open(path, { store, verify });
    // Two runtimes for the whole file, because a runtime costs more than the golden rows of a plan.
    // The first one runs plans in the addon if the store is in native memory.
    await using native = createRuntime({ store });
    await using javascript = createRuntime({ store, native: false });
    for (const name of fleet.names) {
      const plan = fleet.plan(name);
      try {
        for (const runtime of [native, javascript]) {
          const registered = runtime.register(plan);
          const golden = fleet.golden(name);
          if (golden !== undefined) {
            const rows = rowsOf(plan.inputs, golden.columns, golden.rows);
            for (const row of rows) runtime.predictSync(registered, row);
            await runtime.predictBatch(registered, rows, { engine: 'reference' });
          }
          runtime.unregister(registered);
        }
      } finally {
        plan.release();
      }
    }
  } catch (error) {
    if (!(error instanceof BrezelError) || error.code === 'ERR_INTERNAL') throw error;
    expect(error.hint).not.toBe('');
    expect(error.message.length).toBeLessThan(20_000);
    code = error.code;
  }
  expect(store.stats().objects).toBe(0);
  return code;
}
