import type { XXHash, XXHashAPI } from 'xxhash-wasm';

// XXH64 and XXH32 in JavaScript, for processes without WebAssembly (`node --jitless`). They are
// about 100 times slower.
// Source: https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md

/** The functions of xxhash-wasm that `Checksum` uses. */
export type ChecksumFunctions = {
  create64(seed?: bigint): Pick<XXHash<bigint>, 'update' | 'digest'>;
} & Pick<XXHashAPI, 'h32' | 'h32Raw'>;

const [P1, P2, P3, P4, P5] = [
  0x9e3779b185ebca87n,
  0xc2b2ae3d27d4eb4fn,
  0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n,
  0x27d4eb2f165667c5n,
] as const;
const [Q1, Q2, Q3, Q4, Q5] = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1] as const;

const STRIPE_64 = 32;
const STRIPE_32 = 16;

const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotated64 = (value: bigint, by: bigint): bigint => u64((value << by) | (value >> (64n - by)));
const round64 = (sum: bigint, lane: bigint): bigint => u64(rotated64(u64(sum + lane * P2), 31n) * P1);
const rotated32 = (value: number, by: number): number => (value << by) | (value >>> (32 - by));

/** An XXH64 hash of pieces. */
class Hash64 {
  readonly #seed: bigint;
  #sums: readonly bigint[];
  /** The bytes after the last whole stripe. */
  #tail = new Uint8Array(0);
  #length = 0n;

  constructor(seed: bigint) {
    this.#seed = seed;
    this.#sums = [u64(seed + P1 + P2), u64(seed + P2), seed, u64(seed - P1)];
  }

  update(piece: string | Uint8Array): this {
    const added = typeof piece === 'string' ? new TextEncoder().encode(piece) : piece;
    const bytes = new Uint8Array(this.#tail.length + added.length);
    bytes.set(this.#tail);
    bytes.set(added, this.#tail.length);
    const view = new DataView(bytes.buffer);
    let [a, b, c, d] = this.#sums as [bigint, bigint, bigint, bigint];
    let at = 0;
    for (; at + STRIPE_64 <= bytes.length; at += STRIPE_64) {
      a = round64(a, view.getBigUint64(at, true));
      b = round64(b, view.getBigUint64(at + 8, true));
      c = round64(c, view.getBigUint64(at + 16, true));
      d = round64(d, view.getBigUint64(at + 24, true));
    }
    this.#sums = [a, b, c, d];
    this.#tail = bytes.subarray(at);
    this.#length += BigInt(added.length);
    return this;
  }

  digest(): bigint {
    const [a, b, c, d] = this.#sums as [bigint, bigint, bigint, bigint];
    let sum = u64(this.#seed + P5);
    if (this.#length >= BigInt(STRIPE_64)) {
      sum = u64(rotated64(a, 1n) + rotated64(b, 7n) + rotated64(c, 12n) + rotated64(d, 18n));
      for (const lane of [a, b, c, d]) sum = u64((sum ^ round64(0n, lane)) * P1 + P4);
    }
    sum = u64(sum + this.#length);
    const view = new DataView(this.#tail.buffer, this.#tail.byteOffset, this.#tail.length);
    let at = 0;
    for (; at + 8 <= view.byteLength; at += 8)
      sum = u64(rotated64(sum ^ round64(0n, view.getBigUint64(at, true)), 27n) * P1 + P4);
    if (at + 4 <= view.byteLength) {
      sum = u64(rotated64(sum ^ u64(BigInt(view.getUint32(at, true)) * P1), 23n) * P2 + P3);
      at += 4;
    }
    for (; at < view.byteLength; at++) sum = u64(rotated64(sum ^ u64(BigInt(view.getUint8(at)) * P5), 11n) * P1);
    sum = u64((sum ^ (sum >> 33n)) * P2);
    sum = u64((sum ^ (sum >> 29n)) * P3);
    return sum ^ (sum >> 32n);
  }
}

function hash32(bytes: Uint8Array, seed: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const word = (at: number) => view.getUint32(at, true);
  let at = 0;
  let sum = (seed + Q5) | 0;
  if (bytes.length >= STRIPE_32) {
    const sums = [seed + Q1 + Q2, seed + Q2, seed, seed - Q1];
    for (; at + STRIPE_32 <= bytes.length; at += STRIPE_32)
      for (let lane = 0; lane < 4; lane++)
        sums[lane] = Math.imul(rotated32((sums[lane]! + Math.imul(word(at + 4 * lane), Q2)) | 0, 13), Q1);
    sum = (rotated32(sums[0]!, 1) + rotated32(sums[1]!, 7) + rotated32(sums[2]!, 12) + rotated32(sums[3]!, 18)) | 0;
  }
  sum = (sum + bytes.length) | 0;
  for (; at + 4 <= bytes.length; at += 4) sum = Math.imul(rotated32((sum + Math.imul(word(at), Q3)) | 0, 17), Q4);
  for (; at < bytes.length; at++) sum = Math.imul(rotated32((sum + Math.imul(bytes[at]!, Q5)) | 0, 11), Q1);
  sum = Math.imul(sum ^ (sum >>> 15), Q2);
  sum = Math.imul(sum ^ (sum >>> 13), Q3);
  return (sum ^ (sum >>> 16)) >>> 0;
}

/** The functions in JavaScript. They give the same hashes as xxhash-wasm. */
export const javaScriptChecksum: ChecksumFunctions = {
  create64: (seed = 0n) => new Hash64(seed) as never,
  h32Raw: (bytes, seed = 0) => hash32(bytes, seed),
  h32: (text, seed = 0) => hash32(new TextEncoder().encode(text), seed),
};
