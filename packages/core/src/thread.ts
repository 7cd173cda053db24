import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * What a pool of worker threads starts: an ES module, one of whose functions answers tasks.
 *
 * @param module URL of the module.
 * @param name of the function.
 * @example const pool = { ...threadOf('file:///app/worker.js', 'answer'), maxThreads: 2 };
 */
export const threadOf = (module: string, name = 'default') => ({
  filename: require.resolve('@brezel/core/thread-entry'), // by name, so that a bundle of the library finds it, too
  workerData: { module, name },
});
