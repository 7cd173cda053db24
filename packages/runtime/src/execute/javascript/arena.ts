const SHARED_BYTES = 1 << 18;
/**
 * A larger array gets a separate buffer, because an array keeps the whole shared buffer in memory.
 */
const LARGEST_BYTES = SHARED_BYTES >> 3;

let shared = new ArrayBuffer(SHARED_BYTES);
let used = 0;

/**
 * Returns memory for `count` 32-bit numbers, all zero, as a buffer and an offset.
 *
 * Many results share one buffer, because V8 takes longer to allocate a small external array than a
 * kernel runs. No byte is used twice, so a result stays valid while code references it. V8 frees a
 * buffer when its last array is unreachable.
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
