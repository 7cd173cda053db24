const C1 = 0xcc9e2d51;
const C2 = 0x1b873593;

const rotateLeft = (value: number, by: number) => (value << by) | (value >>> (32 - by));
const scramble = (block: number) => Math.imul(rotateLeft(Math.imul(block, C1), 15), C2);

/**
 * Computes MurmurHash3_x86_32 of bytes, the hash of scikit-learn, ML.NET and onnxruntime. Returns
 * an unsigned 32-bit number.
 *
 * @see Source: Austin Appleby, MurmurHash3 (public domain).
 * @example murmur3(new TextEncoder().encode('hello'), 0) // 0x248bfa47
 */
export function murmur3(bytes: Uint8Array, seed: number): number {
  const byte = (at: number) => bytes[at] ?? 0;
  const block = (at: number) => byte(at) | (byte(at + 1) << 8) | (byte(at + 2) << 16) | (byte(at + 3) << 24);
  const whole = bytes.length - (bytes.length % 4);
  let h = seed;
  for (let at = 0; at < whole; at += 4) h = (Math.imul(rotateLeft(h ^ scramble(block(at)), 13), 5) + 0xe6546b64) | 0;
  if (whole < bytes.length) h ^= scramble(block(whole));
  h ^= bytes.length;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
