import {
  bytesPerElement,
  type DType,
  InternalError,
  type NumericDType,
  type ParameterId,
  type ParameterValue,
} from '@brezel/core';
import { Checksum } from './checksum.js';
import { decodeParameter, encodeParameter } from './codec.js';
import { storeError } from './errors.js';
import { type ParameterMemory, sharedMemory } from './memory.js';
import { isEncoded } from './strings.js';

/** The id, type, shape and size of a stored parameter, without its bytes. */
export interface ParameterInfo {
  readonly id: ParameterId;
  readonly dtype: DType | 'blob';
  readonly shape: readonly number[];
  readonly bytes: number;
  readonly references: number;
}

/** How many parameters an object store holds, and how many bytes they take. */
export interface StoreStatistics {
  /** Number of distinct parameters in the store. */
  readonly objects: number;
  /** Bytes of all distinct parameters. */
  readonly bytes: number;
  /** Number of references that programs and plans hold. */
  readonly references: number;
  /**
   * Bytes that sharing saves. Without sharing, each reference except the first would need a copy of
   * the parameter.
   */
  readonly bytesShared: number;
}

interface Entry {
  readonly handle: number;
  readonly dtype: DType | 'blob';
  readonly shape: readonly number[];
  readonly bytes: number;
  references: number;
  decoded?: WeakRef<object>;
  view?: Uint8Array;
}

/**
 * A range of adjacent elements of a numeric parameter. `derive` stores such a range as another
 * parameter.
 */
export interface ParameterRange {
  readonly of: ParameterId;
  /** Index of the first element. */
  readonly from: number;
  readonly shape: readonly number[];
}

/**
 * A parameter in the form in which it is sent to another thread without a copy. It is valid while
 * the sending thread holds a reference to the parameter.
 */
export interface SharedParameter extends Omit<ParameterInfo, 'references'> {
  readonly shared: number | Uint8Array;
}

/**
 * Returns the id of a parameter. Equal parameters have equal ids. `checksum` is the checksum of its
 * bytes (`Checksum.of`).
 */
export function parameterId(
  dtype: DType | 'blob',
  shape: readonly number[],
  bytes: number,
  checksum: string,
): ParameterId {
  return `${dtype}[${shape.join('x')}]:${bytes}:${checksum}`;
}

/**
 * One reference to a parameter. `release` returns it to the store. If you forget to call it, the
 * reference is returned after the lease is garbage collected.
 */
export interface ParameterLease {
  readonly id: ParameterId;
  /**
   * Returns the reference to the store. Further calls have no effect. The function does not refer
   * to the lease, so the lease can be garbage collected while code still holds the function.
   */
  readonly release: () => void;
}

/** The references that `release` or the garbage collector returns to the store. */
interface LeaseToken {
  readonly ids: readonly ParameterId[];
  released: boolean;
}

/**
 * Stores parameters. Equal parameters of all programs and plans are stored once. Parameters are
 * immutable, and their bytes are outside the V8 heap.
 *
 * Two parameters are equal if their type, shape, length, checksum (two XXH64 sums) and bytes are
 * equal. A store belongs to the thread that opened it. With the addon, all threads share the bytes.
 *
 * @example
 * const store = await ObjectStore.open();
 * const id = store.put({ dtype: 'float32', shape: [2], data: new Float32Array([1, 2]) });
 * store.stats().objects; // 1
 * store.release(id);
 */
export class ObjectStore {
  readonly memory: ParameterMemory;
  readonly checksum: Checksum;
  readonly #entries = new Map<ParameterId, Entry>();
  readonly #derived = new Map<string, ParameterId>();
  #copiedBytes = 0;
  readonly #lost = new FinalizationRegistry<LeaseToken>((token) => this.#settle(token));

  private constructor(memory: ParameterMemory, checksum: Checksum) {
    this.memory = memory;
    this.checksum = checksum;
  }

  /**
   * Opens an empty store.
   *
   * @param options.memory owns the bytes. Default: SharedArrayBuffers.
   * @param options.checksum computes checksums. Default: a WebAssembly module, which it compiles.
   */
  static async open(options: { memory?: ParameterMemory; checksum?: Checksum } = {}): Promise<ObjectStore> {
    return new ObjectStore(options.memory ?? sharedMemory(), options.checksum ?? (await Checksum.create()));
  }

  /**
   * Stores a parameter and returns its id. An equal parameter is stored only once. The caller owns
   * one reference. Cost: O(bytes).
   *
   * @throws ERR_STORE_VALUE when the number of elements does not match the shape.
   */
  put(value: ParameterValue): ParameterId {
    const id = this.#put(value.dtype, value.shape, encodeParameter(value));
    // Caches strings, because decoding them is slow and the compiler reads them soon. Does not
    // cache numbers, because the caller may change the array. Does not cache strings with a lone
    // surrogate, because the store replaces it by U+FFFD.
    if (value.dtype === 'string' && (isEncoded(value) || value.values.every((text) => text.isWellFormed())))
      this.#entry(id).decoded ??= new WeakRef(value);
    return id;
  }

  /** Stores bytes that have an internal format, such as a dictionary, and returns their id. */
  putBlob(bytes: Uint8Array): ParameterId {
    return this.#put('blob', [bytes.length], bytes);
  }

  /**
   * Returns a parameter that is computed from other parameters, for example a dictionary from a
   * vocabulary. `build` runs only if the store does not have the parameter.
   *
   * @param key identifies the function and its inputs.
   */
  derive(key: string, build: () => ParameterValue | Uint8Array | ParameterRange): ParameterId {
    const known = this.#derived.get(key);
    if (known !== undefined && this.#entries.has(known)) {
      this.retain(known);
      return known;
    }
    const built = build();
    const id =
      built instanceof Uint8Array ? this.putBlob(built) : 'of' in built ? this.#putRange(built) : this.put(built);
    this.#derived.set(key, id);
    return id;
  }

  /**
   * Adds a parameter whose bytes are already in the memory of the store, under `handle`. The store
   * takes over the memory reference of the handle. The caller owns one reference to the parameter.
   */
  adopt(parameter: Omit<ParameterInfo, 'references'>, handle: number): void {
    this.#hold(parameter, handle);
  }

  /**
   * Returns a parameter in the form that `take` of a store in another thread accepts. Returns
   * undefined if the memory cannot share bytes.
   */
  share(id: ParameterId): SharedParameter | undefined {
    const { handle, dtype, shape, bytes } = this.#entry(id);
    const { sharing } = this.memory;
    return sharing && { id, dtype, shape, bytes, shared: sharing.share(handle) };
  }

  /**
   * Adds a parameter that `share` returned in another thread, without copying its bytes. The caller
   * owns one reference.
   */
  take({ shared, ...parameter }: SharedParameter): void {
    const { sharing } = this.memory;
    if (sharing === undefined) throw new InternalError(`parameter ${parameter.id} cannot be shared with this thread`);
    this.adopt(parameter, sharing.take(parameter.id, shared));
  }

  retain(id: ParameterId): void {
    this.#entry(id).references++;
  }

  /**
   * Adds a reference for the caller if the store has the parameter. Returns whether the store has
   * it.
   */
  retainKnown(id: ParameterId): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    entry.references++;
    return true;
  }

  /** Removes one reference. Removing the last reference frees the memory. */
  release(id: ParameterId): void {
    const entry = this.#entry(id);
    if (--entry.references > 0) return;
    this.#entries.delete(id);
    this.memory.release(entry.handle);
    for (const [key, derived] of this.#derived) if (derived === id) this.#derived.delete(key);
  }

  /** Returns a lease that takes over one reference from the caller and releases it exactly once. */
  lease(id: ParameterId): ParameterLease {
    this.#entry(id);
    const token = { ids: [id], released: false };
    const lease = { id, release: () => this.#settle(token) };
    this.#lost.register(lease, token);
    return lease;
  }

  /**
   * Adds one reference to each parameter. `release` of the result removes all of these references.
   */
  hold(ids: readonly ParameterId[]): Pick<ParameterLease, 'release'> {
    let held = 0;
    try {
      for (; held < ids.length; held++) this.retain(ids[held]!);
    } catch (error) {
      // Drops the references that were taken before the error.
      while (held > 0) this.release(ids[--held]!);
      throw error;
    }
    return this.leaseAll(ids);
  }

  /**
   * Returns a lease that takes over one reference to each parameter from the caller. One call of
   * its `release` removes all of these references.
   */
  leaseAll(ids: readonly ParameterId[]): Pick<ParameterLease, 'release'> {
    const token = { ids, released: false };
    const lease = { release: () => this.#settle(token) };
    this.#lost.register(lease, token);
    return lease;
  }

  has(id: ParameterId): boolean {
    return this.#entries.has(id);
  }

  info(id: ParameterId): ParameterInfo {
    const { dtype, shape, bytes, references } = this.#entry(id);
    return { id, dtype, shape, bytes, references };
  }

  /** Returns the size of a parameter in bytes. */
  bytesOf(id: ParameterId): number {
    return this.#entry(id).bytes;
  }

  /**
   * Returns the value of a parameter for JavaScript. The first call decodes it. The value is cached
   * until it is garbage collected.
   */
  get(id: ParameterId): ParameterValue {
    const entry = this.#entry(id);
    const cached = entry.decoded?.deref() as ParameterValue | undefined;
    if (cached !== undefined) return cached;
    if (entry.dtype === 'blob') throw new InternalError(`parameter ${id} is a blob, read its bytes`);
    // native memory is outside JavaScript, so `read` returned a copy
    const isCopy = this.memory.kind === 'native';
    const value = decodeParameter(entry.dtype, entry.shape, this.memory.read(entry.handle), isCopy);
    this.#copiedBytes += entry.bytes;
    entry.decoded = new WeakRef(value);
    return value;
  }

  /**
   * Returns the bytes of a parameter. Every call returns the same array. Do not write to it,
   * because it may be the memory of the store.
   *
   * With the addon, the array is a copy that exists as long as the parameter. Only plans that run
   * in JavaScript need it.
   */
  bytes(id: ParameterId): Uint8Array {
    const entry = this.#entry(id);
    if (entry.view === undefined) {
      entry.view = this.memory.read(entry.handle);
      if (this.memory.kind === 'native') this.#copiedBytes += entry.bytes;
    }
    return entry.view;
  }

  /**
   * Total bytes of the copies of parameters that were made for JavaScript since the store was
   * opened, including copies that were freed.
   */
  get copiedBytes(): number {
    return this.#copiedBytes;
  }

  /**
   * Returns the handle of a parameter in the memory of the store. The addon uses the same handles.
   */
  handle(id: ParameterId): number {
    return this.#entry(id).handle;
  }

  /**
   * Returns the checksum of bytes, like `checksum.of`. If the memory has a faster function, it
   * calls that function.
   */
  checksumOf(bytes: Uint8Array): string {
    return this.memory.checksum?.(bytes) ?? this.checksum.of(bytes);
  }

  stats(): StoreStatistics {
    let bytes = 0;
    let references = 0;
    let bytesShared = 0;
    for (const entry of this.#entries.values()) {
      bytes += entry.bytes;
      references += entry.references;
      bytesShared += (entry.references - 1) * entry.bytes;
    }
    return { objects: this.#entries.size, bytes, references, bytesShared };
  }

  #put(dtype: DType | 'blob', shape: readonly number[], bytes: Uint8Array): ParameterId {
    const checksum = this.checksumOf(bytes);
    const id = parameterId(dtype, shape, bytes.length, checksum);
    const handle = this.memory.put(id, bytes); // compares the bytes if the id is known
    this.#hold({ id, dtype, shape: [...shape], bytes: bytes.length }, handle);
    return id;
  }

  #putRange({ of, from, shape }: ParameterRange): ParameterId {
    const { handle, dtype } = this.#entry(of);
    const width = bytesPerElement(dtype as NumericDType);
    const bytes = width * shape.reduce((product, size) => product * size, 1);
    const { range } = this.memory;
    if (range === undefined)
      return this.#put(dtype, shape, this.bytes(of).subarray(width * from, width * from + bytes));
    const id = parameterId(dtype, shape, bytes, range.checksum(handle, width * from, bytes));
    this.#hold({ id, dtype, shape: [...shape], bytes }, range.put(id, handle, width * from, bytes));
    return id;
  }

  #hold({ id, dtype, shape, bytes }: Omit<ParameterInfo, 'references'>, handle: number): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) {
      this.#entries.set(id, { handle, dtype, shape, bytes, references: 1 });
    } else {
      entry.references++;
      // the memory holds one reference for each store; the store counts further references itself
      this.memory.release(handle);
    }
  }

  #entry(id: ParameterId): Entry {
    const entry = this.#entries.get(id);
    if (entry === undefined) throw storeError('ERR_STORE_MISSING', { at: id });
    return entry;
  }

  #settle(token: LeaseToken): void {
    if (token.released) return;
    token.released = true;
    for (const id of token.ids) this.release(id);
  }
}
