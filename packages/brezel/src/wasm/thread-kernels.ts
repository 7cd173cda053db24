import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import type { ObjectStore } from '@brezel/object-store';
import { type StoreKernels, ThreadKernels, webAssembly } from '@brezel/runtime';
import { kernelsFile } from './kernels-file.js';

// The kernels in WebAssembly of this thread, which run plans without the addon. They are compiled
// when the first runtime without the addon is created, so a process with the addon pays nothing.

/**
 * A module with one function that uses a vector. V8 accepts it only if it supports SIMD, which
 * needs SSE 4.1 on x64.
 */
const SIMD_MODULE = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0], // magic and version
  ...[1, 5, 1, 96, 0, 1, 123], // a type: no parameters, one v128
  ...[3, 2, 1, 0], // a function of this type
  ...[10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11], // i32.const 0, i8x16.splat, i8x16.popcnt
);

/** Returns why this process cannot run the kernels in WebAssembly, or undefined if it can. */
export function wasmObstacle(): string | undefined {
  if (webAssembly === undefined) return 'WebAssembly is disabled in this process (node --jitless?)';
  return webAssembly.validate(SIMD_MODULE) ? undefined : 'this processor or version of Node lacks WebAssembly SIMD';
}

/** The key in Node's environment data that records the warning, also for worker threads. */
const WARNED = 'brezel: warned about missing kernels';

/** Warns once in a process that plans run with reference implementations. */
export function warnOfReference(reason: string, instead: string): void {
  if (getEnvironmentData(WARNED) === true) return;
  setEnvironmentData(WARNED, true);
  process.emitWarning(
    `Brezel runs all plans with reference implementations in JavaScript, which is 10 to 100 times slower: ${reason}. ${instead}`,
    { type: 'BrezelWarning', code: 'BREZEL_WASM' },
  );
}

const ALLOW = 'Install the addon (brezel doctor shows its state), or run Node with WebAssembly.';

let kernels: ThreadKernels | undefined;

/**
 * Returns the kernels in WebAssembly for plans whose parameters are in a store. Returns undefined,
 * with one warning for the process, if this process cannot run them.
 */
export function wasmKernels({ memory }: ObjectStore): StoreKernels | undefined {
  try {
    const obstacle = wasmObstacle();
    if (obstacle !== undefined) throw new Error(obstacle);
    kernels ??= new ThreadKernels(new webAssembly.Module(kernelsFile()));
    return kernels.of(memory);
  } catch (error) {
    warnOfReference((error as Error).message, ALLOW);
    return undefined;
  }
}
