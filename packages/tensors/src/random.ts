import { cos, log, sin } from '@brezel/core';

/** Random numbers, uniform in [0, 1), with 53 bits. */
export type Uniform = () => number;

/**
 * Returns a generator of random numbers: xoshiro128** of Blackman and Vigna, seeded by a 64-bit mix
 * of the seed's bits. A seed gives the same numbers in every run on every machine. Without a seed,
 * each run gives other numbers. Do not use the generator for secrets.
 */
export function uniformFrom(seed: number | undefined): Uniform {
  const state = seed === undefined ? crypto.getRandomValues(new Uint32Array(4)) : mixed(seed);
  state[0]! |= 1; // never all zero
  const next = () => {
    const [a, b, c, d] = state as unknown as [number, number, number, number];
    const result = Math.imul(rotated(Math.imul(b, 5), 7), 9) >>> 0;
    const [x, y] = [c ^ a, d ^ b];
    state.set([a ^ y, b ^ x, x ^ (b << 9), rotated(y, 11)]);
    return result;
  };
  return () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53;
}

const rotated = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

/** Derives four words from a seed by SplitMix64. */
function mixed(seed: number): Uint32Array {
  let state = new BigUint64Array(Float64Array.of(seed).buffer)[0]!;
  const words = BigUint64Array.from({ length: 2 }, () => {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let word = state;
    word = BigInt.asUintN(64, (word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n);
    word = BigInt.asUintN(64, (word ^ (word >> 27n)) * 0x94d049bb133111ebn);
    return word ^ (word >> 31n);
  });
  return new Uint32Array(words.buffer);
}

/**
 * Returns a generator of normal numbers with mean 0 and deviation 1. It computes two numbers at a
 * time (Box and Muller).
 */
export function normalFrom(uniform: Uniform): () => number {
  let spare: number | undefined;
  return () => {
    if (spare !== undefined) {
      const kept = spare;
      spare = undefined;
      return kept;
    }
    const radius = Math.sqrt(-2 * log(1 - uniform())); // 1 - u is never 0
    const angle = 2 * Math.PI * uniform();
    spare = radius * sin(angle);
    return radius * cos(angle);
  };
}
