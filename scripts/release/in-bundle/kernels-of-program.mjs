// The kernels in WebAssembly of a bundled program. They are in the bundle, compressed.
import compressed from 'brezel:kernels';
import { setEnvironmentData } from 'node:worker_threads';
import { inflateRawSync } from 'node:zlib';

let bytes;

/** Returns the kernels, and passes them to worker threads that start later. */
export function kernelsFile() {
  if (bytes === undefined) {
    bytes = inflateRawSync(Buffer.from(compressed, 'base64'));
    setEnvironmentData('brezel: kernels', bytes);
  }
  return bytes;
}
