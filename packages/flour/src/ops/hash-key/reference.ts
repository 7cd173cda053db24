import { dense, type ReferenceKernel, type StringBlock } from '@brezel/core';

/**
 * The numbers by which plans select the hash: `old` is the hash of ML.NET before version 1.5, and
 * `murmur` is ML.NET's variant of MurmurHash3.
 */
export const hashSchemes = { old: 1, murmur: 2 } as const;

export interface HashKeyAttributes {
  readonly hashBits: number;
  readonly seed: number;
  readonly scheme: 1 | 2;
  readonly first: 0 | 1;
}

export const reference: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const { hashBits, seed, scheme, first } = attributes as unknown as HashKeyAttributes;
  const hash = scheme === hashSchemes.old ? oldHash : murmurHash;
  const missing = first === 1 ? 0 : 2 ** hashBits;
  const values = BigInt64Array.from((inputs[0] as StringBlock).values, (text) =>
    BigInt(text === '' ? missing : (hash(seed, text.replace(/^ +| +$/g, '')) % 2 ** hashBits) + first),
  );
  return dense('int64', rows, 1, values);
};

const rotateLeft = (value: number, by: number) => (value << by) | (value >>> (32 - by));
const scramble = (block: number) => Math.imul(rotateLeft(Math.imul(block, 0xcc9e2d51), 15), 0x1b873593);
const round = (hash: number, block: number) => (Math.imul(rotateLeft(hash ^ scramble(block), 13), 5) + 0xe6546b64) | 0;

function mix(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
}

/**
 * Encodes one UTF-16 unit in UTF-8, with the last byte in the lowest bits. A surrogate takes three
 * bytes.
 */
function encoded(unit: number): readonly [bytes: number, value: number] {
  if (unit <= 0x7f) return [1, unit];
  if (unit <= 0x7ff) return [2, (unit & 0x3f) | ((unit << 2) & 0x1f00) | 0xc080];
  return [3, (unit & 0x3f) | ((unit << 2) & 0x3f00) | ((unit << 4) & 0x0f0000) | 0xe08080];
}

interface Walked {
  readonly hash: number;
  /**
   * The bytes after the last complete group of four bytes. `length` is the total number of bytes.
   */
  readonly rest: bigint;
  readonly length: number;
}

/**
 * Encodes each UTF-16 unit of the text and hashes each complete group of four bytes. After each
 * unit, `arrange` reorders the bytes that are not hashed yet.
 */
function walk(seed: number, text: string, arrange: (waiting: bigint, bytes: number) => bigint): Walked {
  let [hash, waiting, bits, length] = [seed | 0, 0n, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const [bytes, value] = encoded(text.charCodeAt(at));
    waiting = arrange(waiting | (BigInt(value) << BigInt(bits)), bytes);
    bits += 8 * bytes;
    length += bytes;
    if (bits < 32) continue;
    hash = round(hash, Number(waiting & 0xffffffffn) | 0);
    waiting >>= 32n;
    bits -= 32;
  }
  return { hash, rest: waiting, length };
}

/**
 * Computes ML.NET's `Hashing.MurmurHash`. It hashes the remaining bytes and then the length, each
 * in the same way as a group of four bytes.
 */
function oldHash(seed: number, text: string): number {
  const { hash, rest, length } = walk(seed, text, (waiting) => waiting);
  const all = length % 4 === 0 ? hash : round(hash, Number(rest) | 0);
  return mix(round(all, length));
}

/**
 * Computes ML.NET's `Hashing.MurmurHashV2`. For ASCII, it is MurmurHash3_x86_32 of the UTF-8 bytes.
 * To reverse the bytes of one unit, ML.NET reorders all bytes that are not hashed yet, so the hash
 * of other texts is not MurmurHash3.
 */
function murmurHash(seed: number, text: string): number {
  const { hash, rest, length } = walk(seed, text, turned);
  const tail = Number(rest & [0n, 0xffn, 0xffffn, 0xffffffn][length % 4]!);
  return mix((length % 4 === 0 ? hash : hash ^ scramble(tail)) ^ length);
}

function turned(waiting: bigint, bytes: number): bigint {
  if (bytes === 1) return waiting;
  const lowest = waiting & 0xffn;
  if (bytes === 2) return (lowest << 8n) | (waiting >> 8n);
  return (lowest << 16n) | (((waiting >> 8n) & 0xffn) << 8n) | (waiting >> 16n);
}
