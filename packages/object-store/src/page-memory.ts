/** From here on a parameter has pages of its own: what rounding up to whole pages takes is a sixteenth at most. */
const PAGED_BYTES = 1 << 16;

/** As the standard has it since ES2024, and Node.js 20 does. */
type GrowableSharedArrayBuffer = new (byteLength: number, options: { maxByteLength: number }) => SharedArrayBuffer;

/**
 * Shared memory for a parameter of so many bytes, all zero. A large one starts with a page. A plain buffer starts 16 bytes behind one: each bucket of a
 * dictionary, made to lie on one cache line, would lie on two, and looking words up take half as long again. A buffer that may grow is aligned,
 * since it is mapped and not taken from the heap; this one never does, and reading it costs what reading a plain one does.
 */
export function sharedBytes(length: number): Uint8Array {
  if (length < PAGED_BYTES) return new Uint8Array(new SharedArrayBuffer(length));
  const Growable = SharedArrayBuffer as unknown as GrowableSharedArrayBuffer;
  return new Uint8Array(new Growable(length, { maxByteLength: length }), 0, length); // with a length, or it would follow that of the buffer
}
