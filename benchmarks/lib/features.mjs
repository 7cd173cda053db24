import { createRuntime, openStore } from 'brezel';

// What this build can do: experiments say what they leave out, and why.

const store = await openStore();
const runtime = createRuntime({ store });
const stats = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (runtime.stats()));
await runtime.close();

export const features = {
  /** Worker threads for batches: `createRuntime({ executors })`. */
  executors: stats.executors !== undefined,
  /** Results of shared stages kept: `createRuntime({ materialization })`. */
  materialization: stats.materialization !== undefined,
  /** One row through many plans: `runtime.predictMany`. */
  fanOut: 'predictMany' in runtime,
};

export const NOT_YET = 'not there yet: this build has no such option';
