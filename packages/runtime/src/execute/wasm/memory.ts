import type { ParameterMemory } from '@brezel/object-store';
import { type Address, kernelError, type WasmInstance } from './instance.js';

/**
 * Returns a memory that stores parameters in the memory of a WebAssembly instance, where the
 * kernels read them.
 */
export function wasmMemory(instance: WasmInstance): ParameterMemory {
  const parameters = new Map<Address, { readonly id: string; readonly length: number; references: number }>();
  const handles = new Map<string, Address>();
  const find = (handle: Address) => {
    const found = parameters.get(handle);
    if (found === undefined) throw kernelError('HANDLE', 'stale parameter handle');
    return found;
  };
  const view = (handle: Address, length: number) => {
    const start = instance.exports.parameter_data(handle) >>> 0;
    return instance.bytes.subarray(start, start + length);
  };
  return {
    kind: 'native',
    put(id, bytes) {
      const known = handles.get(id);
      if (known !== undefined) {
        const found = find(known);
        if (!isEqual(view(known, found.length), bytes))
          throw kernelError('PARAMETER', 'the id is taken by other bytes');
        found.references++;
        return known;
      }
      const handle = instance.guard(({ parameter_create }) => parameter_create(bytes.length)) >>> 0;
      view(handle, bytes.length).set(bytes);
      parameters.set(handle, { id, length: bytes.length, references: 1 });
      handles.set(id, handle);
      return handle;
    },
    retain(handle) {
      find(handle).references++;
    },
    release(handle) {
      const found = find(handle);
      if (--found.references > 0) return;
      parameters.delete(handle);
      handles.delete(found.id);
      instance.exports.parameter_release(handle); // stages may hold further references
    },
    read: (handle) => view(handle, find(handle).length).slice(),
    checksum: (bytes) => wasmChecksum(instance, bytes),
  };
}

const DIGITS = 32;
/** The checksum reads whole stripes of this many bytes, and fewer only at the end. */
const STRIPE_BYTES = 32;
/** Bytes that are copied into the module at a time, because its memory never shrinks. */
const PIECE_BYTES = 1 << 16;

/** Returns the checksum of bytes, as `Checksum.of` computes it. */
export function wasmChecksum(instance: WasmInstance, bytes: Uint8Array): string {
  const { exports } = instance;
  const digits = instance.guard(({ message_room }) => message_room(DIGITS + PIECE_BYTES)) >>> 0;
  const piece = digits + DIGITS;
  exports.checksum_start();
  let at = 0;
  for (; bytes.length - at >= PIECE_BYTES; at += PIECE_BYTES) {
    instance.bytes.set(bytes.subarray(at, at + PIECE_BYTES), piece);
    exports.checksum_add(piece, PIECE_BYTES / STRIPE_BYTES);
  }
  const left = bytes.length - at;
  const stripes = Math.floor(left / STRIPE_BYTES);
  instance.bytes.set(bytes.subarray(at), piece);
  exports.checksum_add(piece, stripes);
  exports.checksum_end(piece + stripes * STRIPE_BYTES, left - stripes * STRIPE_BYTES, digits);
  return String.fromCharCode(...instance.bytes.subarray(digits, digits + DIGITS));
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}
