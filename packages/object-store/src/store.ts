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

/** What is known of a stored parameter without reading its bytes. */
export interface ParameterInfo {
  readonly id: ParameterId;
  readonly dtype: DType | 'blob';
  readonly shape: readonly number[];
  readonly bytes: number;
  readonly references: number;
}

export interface StoreStatistics {
  /** Distinct parameters held. */
  readonly objects: number;
  /** Bytes they take, once each. */
  readonly bytes: number;
  /** Live references to them (programs and plans). */
  readonly references: number;
  /** Bytes that one copy a reference would take on top. */
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

/** Elements of a numeric parameter that lie together, as a parameter of their own. */
export interface ParameterRange {
  readonly of: ParameterId;
  /** Number of the first element. */
  readonly from: number;
  readonly shape: readonly number[];
}

/** A parameter on its way to another thread, which gets the same bytes. It is good as long as somebody holds the parameter here. */
export interface SharedParameter extends Omit<ParameterInfo, 'references'> {
  readonly place: number | Uint8Array;
}

/** The content id of a parameter; `checksum`: `Checksum.of` its bytes. */
export function parameterId(
  dtype: DType | 'blob',
  shape: readonly number[],
  bytes: number,
  checksum: string,
): ParameterId {
  return `${dtype}[${shape.join('x')}]:${bytes}:${checksum}`;
}

/** One reference to one parameter. Released by hand or, as a safety net, when it is garbage collected. */
export interface ParameterLease {
  readonly id: ParameterId;
  /** Gives the reference back, once. A function of its own: it may be kept where the lease must stay collectable. */
  readonly release: () => void;
}

/** What a lease gives back, whether it is released or lost. */
interface LeaseToken {
  readonly ids: readonly ParameterId[];
  released: boolean;
}

/**
 * Parameters of all pipelines of a process: immutable, content-addressed, kept once, outside the V8 heap.
 * Equal content (two XXH64 sums, type, shape, length and then the bytes themselves) is one object. Belongs to the thread that opened it;
 * with the addon the bytes behind it are shared by every thread.
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

  /** @param options.memory who holds the bytes; SharedArrayBuffers when not given. */
  static async open(options: { memory?: ParameterMemory } = {}): Promise<ObjectStore> {
    return new ObjectStore(options.memory ?? sharedMemory(), await Checksum.create());
  }

  /** Stores a parameter, or finds it. One reference goes to the caller. Cost: O(bytes). */
  put(value: ParameterValue): ParameterId {
    const id = this.#put(value.dtype, value.shape, encodeParameter(value));
    // Strings are dear to decode, and whoever plans the program will ask for them. Numbers are not kept: their owner may change them.
    // A lone surrogate is stored as U+FFFD: such a value is not what comes back.
    if (value.dtype === 'string' && value.values.every((one) => one.isWellFormed()))
      this.#entry(id).decoded ??= new WeakRef(value);
    return id;
  }

  /** Stores raw bytes in a format of their own (dictionaries, text programs). */
  putBlob(bytes: Uint8Array): ParameterId {
    return this.#put('blob', [bytes.length], bytes);
  }

  /**
   * A parameter computed from others (a dictionary from a vocabulary), built once while it is held by anybody.
   * `key` names the function and its inputs.
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
   * Takes a parameter over from where its bytes lie: `handle` is the memory's, with one reference. What is known under the id is shared. One reference
   * goes to the caller.
   */
  adopt(parameter: Omit<ParameterInfo, 'references'>, handle: number): void {
    this.#hold(parameter, handle);
  }

  /** The parameter for a store of another thread; undefined where its bytes cannot be shared. */
  share(id: ParameterId): SharedParameter | undefined {
    const { handle, dtype, shape, bytes } = this.#entry(id);
    const { sharing } = this.memory;
    return sharing && { id, dtype, shape, bytes, place: sharing.share(handle) };
  }

  /** Takes over what `share` gave on another thread, without a copy. One reference goes to the caller. */
  take({ place, ...parameter }: SharedParameter): void {
    const { sharing } = this.memory;
    if (sharing === undefined) throw new InternalError(`parameter ${parameter.id} cannot be shared with this thread`);
    this.adopt(parameter, sharing.take(parameter.id, place));
  }

  retain(id: ParameterId): void {
    this.#entry(id).references++;
  }

  /** `retain`, where the parameter is here. @returns whether it is */
  retainKnown(id: ParameterId): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    entry.references++;
    return true;
  }

  /** Gives one reference back; the last one returns the memory. */
  release(id: ParameterId): void {
    const entry = this.#entry(id);
    if (--entry.references > 0) return;
    this.#entries.delete(id);
    this.memory.release(entry.handle);
    for (const [key, derived] of this.#derived) if (derived === id) this.#derived.delete(key);
  }

  /** Wraps one reference that the caller holds, so that it is given back exactly once. */
  lease(id: ParameterId): ParameterLease {
    this.#entry(id);
    const token = { ids: [id], released: false };
    const lease = { id, release: () => this.#settle(token) };
    this.#lost.register(lease, token);
    return lease;
  }

  /** Takes one reference to each of several parameters, to be given back together. */
  hold(ids: readonly ParameterId[]): Pick<ParameterLease, 'release'> {
    let held = 0;
    try {
      for (; held < ids.length; held++) this.retain(ids[held]!);
    } catch (error) {
      while (held > 0) this.release(ids[--held]!); // all or none
      throw error;
    }
    return this.leaseAll(ids);
  }

  /** Wraps one reference to each of several parameters that the caller holds, to be given back together. */
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

  /** Bytes that the parameter takes. */
  bytesOf(id: ParameterId): number {
    return this.#entry(id).bytes;
  }

  /** The value for JavaScript; decoded at the first use and kept as long as somebody holds it. */
  get(id: ParameterId): ParameterValue {
    const entry = this.#entry(id);
    const kept = entry.decoded?.deref() as ParameterValue | undefined;
    if (kept !== undefined) return kept;
    if (entry.dtype === 'blob') throw new InternalError(`parameter ${id} is a blob, read its bytes`);
    const isCopy = this.memory.kind === 'native'; // the addon's bytes lie outside JavaScript
    const value = decodeParameter(entry.dtype, entry.shape, this.memory.read(entry.handle), isCopy);
    this.#copiedBytes += entry.bytes;
    entry.decoded = new WeakRef(value);
    return value;
  }

  /**
   * The raw bytes, the same array at every call. Read-only by contract: they may be the store's own. Where the bytes lie outside JavaScript this is
   * a copy, kept as long as the parameter: only plans that run in JavaScript ask for it.
   */
  bytes(id: ParameterId): Uint8Array {
    const entry = this.#entry(id);
    if (entry.view === undefined) {
      entry.view = this.memory.read(entry.handle);
      if (this.memory.kind === 'native') this.#copiedBytes += entry.bytes;
    }
    return entry.view;
  }

  /** Bytes of parameters that were copied for JavaScript since the store was opened, whether the copies are still there or not. */
  get copiedBytes(): number {
    return this.#copiedBytes;
  }

  /** The number under which the memory (and with it the addon) knows the parameter. */
  handle(id: ParameterId): number {
    return this.#entry(id).handle;
  }

  /** `checksum.of`, by the memory where it is faster at that. */
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
    const handle = this.memory.put(id, bytes); // compares the bytes when the id is known
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
      this.memory.release(handle); // the memory keeps one reference a store, the store counts its own
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
    for (let at = 0; at < token.ids.length; at++) this.release(token.ids[at]!);
  }
}
