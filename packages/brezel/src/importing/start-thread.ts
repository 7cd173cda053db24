import { fileURLToPath } from 'node:url';
import { type ResourceLimits, Worker } from 'node:worker_threads';

/** Starts a thread that imports models. The build for bundlers replaces this module. */
export const startThread = (resourceLimits: ResourceLimits): Worker =>
  new Worker(fileURLToPath(new URL('./import-worker.js', import.meta.url)), { resourceLimits });
