import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * Returns the options that make a worker pool run one function of an ES module.
 *
 * @param module URL of the module.
 * @param name name of the function that handles a task.
 * @example const pool = { ...threadOf('file:///app/worker.js', 'answer'), maxThreads: 2 };
 */
export const threadOf = (module: string, name = 'default') => ({
  // resolved by package name, so that a bundle of the library finds it too
  filename: require.resolve('@brezel/core/thread-entry'),
  workerData: { module, name },
});
