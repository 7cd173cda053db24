import { storeError } from './errors.js';
import { sharedBytes } from './page-memory.js';

/**
 * Who holds parameter bytes. The addon implements it with memory outside V8, one copy a process; `sharedMemory` is what stands in
 * where no addon loads. Handles are small integers; each `put` and `retain` is one reference.
 */
export interface ParameterMemory {
  readonly kind: 'native' | 'shared';
  /** Stores a copy of the bytes under a content id, or finds it there, compares the bytes and counts one more reference. */
  put(id: string, bytes: Uint8Array): number;
  retain(handle: number): void;
  /** Gives one reference back; the last one returns the memory. */
  release(handle: number): void;
  /** The bytes for JavaScript: a copy, or a view where the memory belongs to JavaScript anyway. Never write to it. */
  read(handle: number): Uint8Array;
  /**
   * Maps a file of which parameters are used where they lie, once for all who map it. Absent where that cannot be done. The descriptor may be
   * closed afterwards. `prefault`: read all of it at once.
   */
  mapFile?(descriptor: number, bytes: number, prefault: boolean): FileBytes;
  /** `Checksum.of` at the speed of the machine. Absent: WebAssembly computes it. */
  checksum?(bytes: Uint8Array): string;
  /**
   * Whether a FlatBuffer may be read, as `validateManifest` tells: at the speed of the machine, and without saying what is wrong. Absent: only that one
   * checks. `tables`: of each, how many fields, then of each field its bytes, bytes of an element, 1 list + 2 bool + 4 string, number of the table
   * that it points to or -1. `root`: the table to start with.
   */
  isSound?(manifest: Uint8Array, tables: Int32Array, root: number): boolean;
  /** Stores bytes of a parameter that is here as one of its own, without a copy in JavaScript. Absent: they are read and put. */
  readonly range?: {
    /** As `checksum`, over a range. */
    checksum(handle: number, offset: number, length: number): string;
    /** As `put`. */
    put(id: string, handle: number, offset: number, length: number): number;
  };
  /** How other threads get the same bytes without a copy. Absent where they cannot. */
  readonly sharing?: {
    /** A handle that holds in every thread of the process, or bytes on shared memory: what can be sent to another thread. */
    share(handle: number): number | Uint8Array;
    /** As `put`, of what `share` gave on another thread. Nothing is copied or compared. */
    take(id: string, shared: number | Uint8Array): number;
  };
  /** Gives memory that was freed, here or by importers, back to the system, where the allocator would keep it. A few milliseconds. */
  trim?(): void;
}

/** The bytes of a file that holds parameters: mapped, or read when they are needed. */
export interface FileBytes {
  /** As `Checksum.of`, over a range. */
  checksum(offset: number, length: number): string;
  isZero(offset: number, length: number): boolean;
  /** Takes one reference to the parameter that lies there. `compare`: compare the bytes with those that are known under this id. */
  parameter(offset: number, length: number, id: string, compare: boolean): number;
  /** Lets the file go; parameters stay. */
  close(): void;
}

/** Parameter bytes in SharedArrayBuffers: outside the V8 heap, and workers that are handed the buffer share it. */
export function sharedMemory(): ParameterMemory {
  const objects = new Map<number, { id: string; bytes: Uint8Array; references: number }>();
  const handles = new Map<string, number>();
  let next = 1;
  const find = (handle: number) => {
    const found = objects.get(handle);
    if (found === undefined) throw storeError('ERR_STORE_MISSING', { at: `handle ${handle}` });
    return found;
  };
  const add = (id: string, bytes: Uint8Array) => {
    const handle = next++;
    objects.set(handle, { id, bytes, references: 1 });
    handles.set(id, handle);
    return handle;
  };
  return {
    kind: 'shared',
    put(id, bytes) {
      const known = handles.get(id);
      if (known !== undefined) {
        const object = find(known);
        if (!equalBytes(object.bytes, bytes)) throw storeError('ERR_STORE_CHECKSUM', { at: id });
        object.references++;
        return known;
      }
      const copy = sharedBytes(bytes.length);
      copy.set(bytes);
      return add(id, copy);
    },
    retain(handle) {
      find(handle).references++;
    },
    release(handle) {
      const object = find(handle);
      if (--object.references > 0) return;
      objects.delete(handle);
      handles.delete(object.id);
    },
    read: (handle) => find(handle).bytes,
    sharing: {
      share: (handle) => find(handle).bytes,
      take(id, shared) {
        const known = handles.get(id);
        if (known === undefined) return add(id, shared as Uint8Array);
        find(known).references++;
        return known;
      },
    },
  };
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
