import type { ParameterMemory } from '@brezel/object-store';
import { type Address, WasmInstance } from './instance.js';
import { type PlanSource, type StageSource, WasmKernels } from './kernels.js';
import type { WasmModule } from './web-assembly.js';

/** Memory that the plans of a thread use in WebAssembly. */
export interface WasmStatistics {
  /** The number of stages of all plans of the thread. */
  readonly stages: number;
  /** The number of parameters in WebAssembly memory. Plans of one store share them. */
  readonly parameters: number;
  readonly parameterBytes: number;
  /** The size of the memory, which also holds rows. It grows up to 4 GiB. */
  readonly memoryBytes: number;
}

/**
 * When no plan is left, a memory of more than this many bytes is replaced. Smaller memories stay,
 * because a new one takes longer than an allocation.
 */
const KEPT_BYTES = 32 * 2 ** 20;

/** The kernels of one thread. All its runtimes share the memory of the module. */
export class ThreadKernels {
  readonly instance: WasmInstance;
  readonly #byMemory = new WeakMap<ParameterMemory, CopiedParameters>();
  readonly #counts = { stages: 0, plans: 0, parameters: 0, parameterBytes: 0 };

  /** @throws CompileError, LinkError or RangeError of WebAssembly */
  constructor(module: WasmModule) {
    this.instance = WasmInstance.createSync(module);
  }

  /** Returns kernels for plans whose parameters are in `memory`. */
  of(memory: ParameterMemory): StoreKernels {
    let parameters = this.#byMemory.get(memory);
    if (parameters === undefined) {
      parameters = new CopiedParameters(this.instance, memory, this.#counts);
      this.#byMemory.set(memory, parameters);
    }
    return new StoreKernels(this, parameters);
  }

  /** Counts stages and plans. Frees the memory when no stage and no plan is left. */
  count(what: 'stages' | 'plans', change: 1 | -1): void {
    this.#counts[what] += change;
    if (this.#counts.stages + this.#counts.plans === 0 && this.#memoryBytes > KEPT_BYTES) this.instance.renew();
  }

  stats(): WasmStatistics {
    const { stages, parameters, parameterBytes } = this.#counts;
    return { stages, parameters, parameterBytes, memoryBytes: this.#memoryBytes };
  }

  get #memoryBytes(): number {
    return this.instance.exports.memory.buffer.byteLength;
  }
}

/**
 * Parameters of a memory that stages have copied into WebAssembly. Each parameter is there once, as
 * long as a stage uses it.
 */
class CopiedParameters {
  readonly #instance: WasmInstance;
  readonly #memory: ParameterMemory;
  readonly #counts: { parameters: number; parameterBytes: number };
  readonly #copies = new Map<number, { readonly address: Address; readonly bytes: number; stages: number }>();

  constructor(instance: WasmInstance, memory: ParameterMemory, counts: { parameters: number; parameterBytes: number }) {
    this.#instance = instance;
    this.#memory = memory;
    this.#counts = counts;
  }

  /** Returns the address of a parameter, and copies it if no stage has it yet. */
  take(handle: number): Address {
    const known = this.#copies.get(handle);
    if (known !== undefined) {
      known.stages++;
      return known.address;
    }
    const bytes = this.#memory.read(handle);
    const address = this.#instance.guard(({ parameter_create }) => parameter_create(bytes.length)) >>> 0;
    this.#instance.bytes.set(bytes, this.#instance.exports.parameter_data(address) >>> 0);
    this.#copies.set(handle, { address, bytes: bytes.length, stages: 1 });
    this.#counts.parameters++;
    this.#counts.parameterBytes += bytes.length;
    return address;
  }

  release(handle: number): void {
    const found = this.#copies.get(handle)!;
    if (--found.stages > 0) return;
    this.#copies.delete(handle);
    this.#counts.parameters--;
    this.#counts.parameterBytes -= found.bytes;
    this.#instance.exports.parameter_release(found.address);
  }
}

/**
 * The kernels for plans of a store whose parameters are outside WebAssembly. Callers pass the
 * store's handles of parameters. Each stage copies its parameters into the module.
 */
export class StoreKernels extends WasmKernels {
  readonly #thread: ThreadKernels;
  readonly #parameters: CopiedParameters;
  /** The handles of the parameters of each stage, in the store. */
  readonly #handles = new Map<Address, readonly number[]>();

  constructor(thread: ThreadKernels, parameters: CopiedParameters) {
    super(thread.instance);
    this.#thread = thread;
    this.#parameters = parameters;
  }

  override stageCreate(source: StageSource): Address {
    const taken: number[] = [];
    try {
      const parameters = source.parameters.map((handle) => {
        const address = this.#parameters.take(handle);
        taken.push(handle);
        return address;
      });
      const stage = super.stageCreate({ ...source, parameters });
      this.#handles.set(stage, taken);
      this.#thread.count('stages', 1);
      return stage;
    } catch (error) {
      for (const handle of taken) this.#parameters.release(handle);
      throw error;
    }
  }

  override stageRelease(stage: Address): void {
    super.stageRelease(stage);
    for (const handle of this.#handles.get(stage)!) this.#parameters.release(handle);
    this.#handles.delete(stage);
    this.#thread.count('stages', -1);
  }

  override planCreate(source: PlanSource): Address {
    const plan = super.planCreate(source);
    this.#thread.count('plans', 1);
    return plan;
  }

  override planRelease(plan: Address): void {
    super.planRelease(plan);
    this.#thread.count('plans', -1);
  }

  stats(): WasmStatistics {
    return this.#thread.stats();
  }
}
