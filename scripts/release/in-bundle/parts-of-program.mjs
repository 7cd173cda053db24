// The packages and paths that the main thread of a bundled application takes from the bundle.
import * as piscina from 'piscina';

export const inlined = { piscina };

/**
 * For each module name, the path that `require.resolve` returns in a bundled application. Worker
 * threads are started with these paths; see worker-threads.mjs.
 */
export const paths = {
  '@brezel/native': '@brezel/native',
  '@brezel/core/thread-entry': '/brezel-thread',
  '@brezel/onnxruntime/worker': '/onnxruntime-worker',
  '@brezel/tfjs/worker': '/tfjs-worker',
};
