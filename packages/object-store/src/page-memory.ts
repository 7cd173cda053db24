/**
 * A parameter with at least this many bytes starts on a page boundary. Its size is rounded up to
 * whole pages, which wastes at most 1/16 of the memory.
 */
const PAGED_BYTES = 1 << 16;

/**
 * The type of the ES2024 constructor of SharedArrayBuffer. Node.js 20 supports it, but TypeScript's
 * library does not declare it.
 */
type GrowableSharedArrayBuffer = new (byteLength: number, options: { maxByteLength: number }) => SharedArrayBuffer;

/**
 * Returns zeroed shared memory for a parameter of `length` bytes. A large parameter starts on a
 * page boundary.
 *
 * A plain SharedArrayBuffer starts 16 bytes after a page boundary. Dictionary buckets are designed
 * to fill one cache line; in a plain buffer each bucket would span two cache lines, and lookups
 * would take 1.5 times as long. A growable buffer is mapped instead of allocated from the heap, so
 * it is aligned. The returned buffer never grows, and reading it is as fast as reading a plain
 * buffer.
 */
export function sharedBytes(length: number): Uint8Array {
  if (length < PAGED_BYTES) return new Uint8Array(new SharedArrayBuffer(length));
  const Growable = SharedArrayBuffer as unknown as GrowableSharedArrayBuffer;
  // The length is explicit, because a view without one tracks the length of the buffer.
  return new Uint8Array(new Growable(length, { maxByteLength: length }), 0, length);
}
