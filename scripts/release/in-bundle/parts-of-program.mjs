// The packages and paths that the main thread of a bundled program takes from the bundle.
import * as piscina from 'piscina';

export const inlined = { piscina };

/**
 * The results of `require.resolve`. Worker threads are started with these paths; see
 * worker-threads.mjs.
 */
export const paths = {
  '@brezel/native': '@brezel/native',
  '@brezel/core/thread-entry': '/brezel-thread',
  '@brezel/onnxruntime/worker': '/onnxruntime-worker',
  '@brezel/tfjs/worker': '/tfjs-worker',
};
