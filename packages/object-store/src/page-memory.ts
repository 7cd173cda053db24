/**
 * From this size on, a parameter starts on a page boundary. Rounding up to whole pages wastes at
 * most a sixteenth.
 */
const PAGED_BYTES = 1 << 16;

/** Declares the ES2024 constructor, which Node.js 20 has. */
type GrowableSharedArrayBuffer = new (byteLength: number, options: { maxByteLength: number }) => SharedArrayBuffer;

/**
 * Returns zeroed shared memory for a parameter of `length` bytes. A large parameter starts on a
 * page boundary.
 *
 * A plain SharedArrayBuffer starts 16 bytes behind a page boundary. Dictionary buckets, designed to
 * fill one cache line, would then cross two, and lookups would take 1.5 times as long. A growable
 * buffer is mapped instead of taken from the heap, so it is aligned. This one never grows, and
 * reads cost the same as reads of a plain buffer.
 */
export function sharedBytes(length: number): Uint8Array {
  if (length < PAGED_BYTES) return new Uint8Array(new SharedArrayBuffer(length));
  const Growable = SharedArrayBuffer as unknown as GrowableSharedArrayBuffer;
  // an explicit length, or the view would track the length of the buffer
  return new Uint8Array(new Growable(length, { maxByteLength: length }), 0, length);
}
