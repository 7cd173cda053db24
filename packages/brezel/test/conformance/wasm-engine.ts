import { readFileSync } from 'node:fs';
import { passesIntegers, referenceKernel } from '@brezel/flour';
import { ObjectStore } from '@brezel/object-store';
import {
  fastKernels,
  type NativeKernels,
  Runtime,
  WasmInstance,
  WasmKernels,
  wasmMemory,
  webAssembly,
} from '@brezel/runtime';
import type { CompiledPlan, Row } from 'brezel';
import type { Answers } from './engines.js';

const module = new webAssembly.Module(readFileSync(new URL('../../../../native/wasm/kernels.wasm', import.meta.url)));

/** Runs plans with the kernels in WebAssembly. It copies their parameters from another store. */
export class WasmEngine {
  readonly #from: ObjectStore;
  readonly #opened: Promise<{ readonly store: ObjectStore; readonly runtime: Runtime }>;

  constructor(from: ObjectStore) {
    this.#from = from;
    this.#opened = this.#open();
  }

  async #open() {
    const instance = WasmInstance.createSync(module);
    const store = await ObjectStore.open({ memory: wasmMemory(instance) });
    const kernels = { reference: referenceKernel, fast: fastKernels, passesIntegers };
    // The runtime calls the functions of executors only if it has executors.
    const native = new WasmKernels(instance) as unknown as NativeKernels;
    return { store, runtime: new Runtime({ store, native, kernels, executors: 0, materialization: false }) };
  }

  /** Returns the answers by verb. */
  async answers(plan: CompiledPlan, rows: readonly Row[], verbs: 'all' | 'batch'): Promise<Map<string, Answers>> {
    const { store, runtime } = await this.#opened;
    for (const id of plan.parameters) store.adopt(this.#from.info(id), store.memory.put(id, this.#from.bytes(id)));
    const registered = runtime.register(plan);
    const answers = new Map<string, Answers>();
    try {
      answers.set('batch', await runtime.predictBatch(registered, rows));
      if (verbs === 'all')
        answers.set(
          'one by one',
          rows.map((row) => runtime.predictSync(registered, row)),
        );
      return answers;
    } finally {
      runtime.unregister(registered);
      for (const id of plan.parameters) store.release(id);
    }
  }
}
