// Replaces `Worker` of piscina in the build for bundlers. Threads start from a string in the
// bundle, because a bundler moves or removes the files of workers.

import compressed from 'brezel:thread-sources';
import { posix } from 'node:path';
import threads from 'node:worker_threads';
import { inflateRawSync } from 'node:zlib';
import { folders } from './folders.mjs';

const sources = new Map();

/** Returns the script of a worker thread. The first call decompresses the script. */
function sourceOf(module) {
  const name = posix.basename(module).replace(/\.m?js$/, '');
  if (!sources.has(name)) sources.set(name, inflateRawSync(Buffer.from(compressed[name], 'base64')).toString());
  return sources.get(name);
}

export class Worker extends threads.Worker {
  constructor(_file, options) {
    const { workerData } = options;
    super(sourceOf(workerData.module), {
      ...options,
      eval: true,
      workerData: { ...workerData, brezelFolders: folders },
    });
  }
}
