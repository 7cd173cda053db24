import { storeError } from './errors.js';

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
  /** Gives memory that was freed, here or by importers, back to the system, where the allocator would keep it. A few milliseconds. */
  trim?(): void;
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
      const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
      copy.set(bytes);
      const handle = next++;
      objects.set(handle, { id, bytes: copy, references: 1 });
      handles.set(id, handle);
      return handle;
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
  };
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
