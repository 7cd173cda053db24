const CHUNK_BYTES = 1 << 18;
/** Larger arrays get memory of their own: an array keeps its whole chunk alive. */
const LARGEST_BYTES = CHUNK_BYTES >> 3;

let chunk = new ArrayBuffer(CHUNK_BYTES);
let used = 0;

/**
 * Memory for `count` 32-bit numbers, all zero: a buffer and where in it they start. Results lie in
 * chunks that many of them share, for V8 takes longer to allocate a small array outside its heap
 * than a kernel runs. No byte is ever handed out twice, so a result stays what it is for as long as
 * anyone holds it; a chunk is freed with the last array in it.
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
