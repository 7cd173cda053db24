import { createRuntime, type FlourContext, loadNative, type Runtime, type RuntimeOptions } from 'brezel';

export type NamedRuntime = readonly [name: string, runtime: Runtime];

/** Returns a runtime in WebAssembly, and a runtime with the addon if it loads. */
export function runtimes(flour: FlourContext, options: Omit<RuntimeOptions, 'store' | 'native'> = {}): NamedRuntime[] {
  const native = loadNative().addon === undefined ? [] : [true];
  return [false, ...native].map((one) => [
    one ? 'native' : 'wasm',
    createRuntime({ ...options, store: flour.store, native: one }),
  ]);
}
