const CHUNK_BYTES = 1 << 18;
/**
 * The size from which an array gets a separate buffer, because an array keeps its whole chunk in
 * memory.
 */
const LARGEST_BYTES = CHUNK_BYTES >> 3;

let chunk = new ArrayBuffer(CHUNK_BYTES);
let used = 0;

/**
 * Returns memory for `count` 32-bit numbers, all zero: a buffer and an offset. Many results share a
 * chunk, because V8 takes longer to allocate a small external array than a kernel runs. No byte is
 * used twice, so a result stays valid while it is referenced. A chunk is freed with its last array.
 */
export function reserveCells(count: number): { readonly buffer: ArrayBuffer; readonly start: number } {
  const bytes = count * 4;
  if (bytes > LARGEST_BYTES) return { buffer: new ArrayBuffer(bytes), start: 0 };
  if (used + bytes > CHUNK_BYTES) {
    chunk = new ArrayBuffer(CHUNK_BYTES);
    used = 0;
  }
  const start = used;
  used += bytes;
  return { buffer: chunk, start };
}
