const SHARED_BYTES = 1 << 18;
/**
 * An array of more than this many bytes gets a separate buffer. V8 cannot free a shared buffer
 * while an array uses a part of the buffer.
 */
const LARGEST_BYTES = SHARED_BYTES >> 3;

let shared = new ArrayBuffer(SHARED_BYTES);
let used = 0;

/**
 * Returns memory for `count` 32-bit numbers: a buffer and an offset in bytes. All numbers are 0.
 *
 * Many results share one buffer, because V8 needs more time to allocate a separate small buffer
 * than a kernel needs to run. Each byte belongs to only one result, so a result stays valid while
 * code references it. V8 frees a buffer when its last array is unreachable.
 */
export function reserveCells(count: number): { readonly buffer: ArrayBuffer; readonly start: number } {
  const bytes = count * 4;
  if (bytes > LARGEST_BYTES) return { buffer: new ArrayBuffer(bytes), start: 0 };
  if (used + bytes > SHARED_BYTES) {
    shared = new ArrayBuffer(SHARED_BYTES);
    used = 0;
  }
  const start = used;
  used += bytes;
  return { buffer: shared, start };
}
