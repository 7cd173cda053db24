import { murmur3 } from '@brezel/tensors';
import fc from 'fast-check';
import { noisyText, type OperatorCase, type OperatorCases, shown } from '../../case.js';
import type { HashKeyOptions } from './index.js';

const hashed = (
  name: string,
  texts: readonly string[],
  options: HashKeyOptions,
  keys?: readonly number[],
): OperatorCase => ({
  name,
  build: (flour) => ({ y: flour.columns({ text: 'string' }).select('text').hashKey(options) }),
  rows: texts.map((text) => ({ text })),
  engine: 'native',
  ...(keys && { expected: keys.map((y) => ({ y })) }),
});

const seed = 314489979;
const ascii = ['a', 'ab', 'abc', 'abcd', 'hello world', '  hello world ', '', ' '];
const keyOf = (text: string, bits: number) =>
  text === '' ? 0 : (murmur3(new TextEncoder().encode(text.trim()), seed) % 2 ** bits) + 1;

export const cases: OperatorCases = {
  operators: ['hash-key'],
  named: [
    // Values from ML.NET's tests (MurmurHashV1.zip). ML.NET writes a key to a text file as the key
    // minus 1.
    hashed("ML.NET's own hash", ['alibaba', 'ba ba'], { scheme: 1 }, [828372953, 290795468]),
    hashed(
      'ASCII is MurmurHash3',
      ascii,
      {},
      ascii.map((text) => keyOf(text, 31)),
    ),
    hashed(
      'few bits',
      ascii,
      { hashBits: 3 },
      ascii.map((text) => keyOf(text, 3)),
    ),
    hashed('keys from 0', ['', 'a'], { hashBits: 4, first: 0 }, [16, keyOf('a', 4) - 1]),
    hashed(
      'one longer unit is UTF-8',
      ['é', '日'],
      {},
      ['é', '日'].map((text) => keyOf(text, 31)),
    ),
  ],
  random: fc
    .tuple(
      fc.array(noisyText(), { minLength: 1, maxLength: 5 }),
      fc.constantFrom(1 as const, 2 as const),
      fc.integer({ min: 1, max: 31 }),
      fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      fc.constantFrom(0 as const, 1 as const),
    )
    .map(([texts, scheme, hashBits, random, first]) =>
      hashed(`hash ${shown(texts)}`, texts, { scheme, hashBits, seed: random, first }),
    ),
};
