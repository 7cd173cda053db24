import { type WasmModule, webAssembly } from './web-assembly.js';

/** An address in the memory of the module. */
export type Address = number;

/** The exports of native/wasm/module.cpp, whose comments describe each function. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly __stack_pointer: { value: number };
  _initialize(): void;
  message_room(bytes: number): Address;
  kernel_count(): number;
  kernel_name(kernel: number): Address;
  parameter_create(bytes: number): Address;
  parameter_data(parameter: Address): Address;
  parameter_retain(parameter: Address): void;
  parameter_release(parameter: Address): void;
  checksum_start(): void;
  checksum_add(data: Address, stripes: number): void;
  checksum_end(tail: Address, bytes: number, digits: Address): void;
  stage_create(message: Address): Address;
  stage_release(stage: Address): void;
  plan_create(message: Address, maxInputBytes: number): Address;
  plan_release(plan: Address): void;
  plan_block_rows(plan: Address): number;
  plan_width(plan: Address): number;
  plan_input(plan: Address, input: number, type: Address): void;
  plan_output(plan: Address, output: number, type: Address): void;
  input_room(plan: Address, input: number, part: number, bytes: number): Address;
  input_set(plan: Address, input: number): void;
  number_room(count: number): Address;
  input_numbers(plan: Address, input: number, count: number): void;
  is_utf8(bytes: Address, length: number): number;
  is_dictionary(bytes: Address, length: number): number;
  run(plan: Address, rows: number): Address;
  run_stage(plan: Address, stage: number, rows: number): Address;
  read_numbers(plan: Address, rows: number): Address;
  read_column(plan: Address, output: number, column: Address): void;
  run_text(plan: Address, bytes: number): Address;
}

/** The codes of the addon's errors, in the order of `ErrorCode` in native/src/memory.hpp. */
const codes = ['ARGUMENT', 'PROGRAM', 'PARAMETER', 'INPUT', 'HANDLE', 'MEMORY'] as const;
type Code = (typeof codes)[number];

/** Returns an error with the code that the addon uses. */
export const kernelError = (code: Code, message: string): Error =>
  Object.assign(new Error(message), { code: `ERR_NATIVE_${code}` });

/**
 * An instance of the kernels in WebAssembly, with its memory. It belongs to one thread. The memory
 * grows up to 4 GiB and never shrinks. `renew` replaces it, and the garbage collector then frees
 * it.
 */
export class WasmInstance {
  #exports: Exports;
  /** The module of `createSync`, from which `renew` creates the next memory. */
  readonly #module: WasmModule | undefined;
  #bytes = new Uint8Array(0);
  #words = new Uint32Array(0);
  #numbers = new Float64Array(0);

  private constructor(exports: object, module?: WasmModule) {
    this.#exports = exports as Exports;
    this.#module = module;
  }

  /** The functions of the module. `renew` replaces them, so do not store this object. */
  get exports(): Exports {
    return this.#exports;
  }

  /** Creates an instance asynchronously. On the main thread of a page, browsers allow only this. */
  static async create(module: WasmModule): Promise<WasmInstance> {
    const imports = new Imports();
    return imports.startedWith(await webAssembly.instantiate(module, imports.all));
  }

  /** Creates an instance synchronously. */
  static createSync(module: WasmModule): WasmInstance {
    const imports = new Imports();
    return imports.startedWith(new webAssembly.Instance(module, imports.all), module);
  }

  /** @internal */
  static of(exports: object, module?: WasmModule): WasmInstance {
    return new WasmInstance(exports, module);
  }

  /**
   * Replaces the memory by a new, small one. All addresses become invalid, so call the method only
   * when no stage, plan or parameter is left.
   */
  renew(): void {
    this.#exports = WasmInstance.createSync(this.#module!).#exports;
    this.#bytes = new Uint8Array(0);
    this.#words = new Uint32Array(0);
    this.#numbers = new Float64Array(0);
  }

  // A view loses its memory when the memory grows, so each getter creates the view again if
  // necessary.

  get bytes(): Uint8Array {
    if (this.#bytes.byteLength === 0) this.#bytes = new Uint8Array(this.exports.memory.buffer);
    return this.#bytes;
  }

  get words(): Uint32Array {
    if (this.#words.byteLength === 0) this.#words = new Uint32Array(this.exports.memory.buffer);
    return this.#words;
  }

  get numbers(): Float64Array {
    if (this.#numbers.byteLength === 0) this.#numbers = new Float64Array(this.exports.memory.buffer);
    return this.#numbers;
  }

  /**
   * Runs a function of the module that may report an error. The error ends the call in the middle,
   * so this method restores the stack of the module.
   */
  guard<Result>(run: (exports: Exports) => Result): Result {
    const { __stack_pointer: stack } = this.exports;
    const before = stack.value;
    try {
      return run(this.exports);
    } catch (error) {
      stack.value = before;
      throw error;
    }
  }

  /** Reads a text that ends with a zero byte. */
  text(address: Address): string {
    const { bytes } = this;
    return new TextDecoder().decode(bytes.slice(address, bytes.indexOf(0, address)));
  }

  /** Writes lists of integers for the next call. The length of each list precedes its integers. */
  message(lists: readonly ArrayLike<number>[]): Address {
    const words = lists.reduce((sum, { length }) => sum + 1 + length, 0);
    const address = this.exports.message_room(4 * words) >>> 0;
    let at = address / 4;
    for (const list of lists) {
      this.words[at++] = list.length;
      this.words.set(list, at);
      at += list.length;
    }
    return address;
  }

  /**
   * Throws the error for a row that a kernel rejected. `refusal` is 0 if no kernel rejected a row.
   */
  checkRefusal(refusal: Address): void {
    if (refusal !== 0) throw kernelError('INPUT', this.text(refusal >>> 0));
  }
}

/** The functions that the module imports. They need the instance, which is created after them. */
class Imports {
  #instance: WasmInstance | undefined;

  readonly all = {
    brezel: {
      fail: (code: number, message: Address): never => {
        throw kernelError(codes[code]!, this.#instance!.text(message >>> 0));
      },
    },
  };

  startedWith({ exports }: { readonly exports: object }, module?: WasmModule): WasmInstance {
    this.#instance = WasmInstance.of(exports, module);
    this.#instance.exports._initialize();
    return this.#instance;
  }
}
