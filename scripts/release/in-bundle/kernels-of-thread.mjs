// The kernels in WebAssembly for a worker thread of a bundled program, from the thread that created
// the runtime.
import { getEnvironmentData } from 'node:worker_threads';

export function kernelsFile() {
  const bytes = getEnvironmentData('brezel: kernels');
  if (bytes === undefined) throw new Error('the main thread has not loaded the kernels');
  return bytes;
}
