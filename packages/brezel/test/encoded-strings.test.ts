import { bytesOfStrings, encodedStrings, type StringFunctions, type StringParameter } from '@brezel/object-store';
import {
  buildDictionary,
  buildStopWords,
  type CaseAction,
  type DictionarySource,
  encodedDictionary,
  encodedStopWords,
  foldStrings,
  foldText,
} from '@brezel/text';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seed } from '../../../testing/seed.js';
import { loadNative, openStore } from '../src/native-store.js';

// Compares the bytes that the addon and the TypeScript builders write for the same source.

const parameters = { seed, numRuns: 300 };
const { addon } = loadNative();
const native = (await openStore()).memory.strings as StringFunctions;

const list = (values: readonly string[]): StringParameter => ({ dtype: 'string', shape: [values.length], values });
const actions: readonly CaseAction[] = ['none', 'lower', 'upper'];

const word = fc.oneof(
  fc.constantFrom(
    '',
    '\0',
    'a',
    'A',
    'é',
    'É',
    'ǅ',
    'ẞ',
    'Ⱥ',
    'ɐ',
    'İ',
    'Σ',
    '😀',
    'exactly15bytes!',
    'exactly16 bytes!',
  ),
  fc.constantFrom('\ud800', 'a\udc00', '\ufffd'),
  fc.string({ maxLength: 6 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ minLength: 14, maxLength: 70, size: 'max' }),
);
const character = fc.oneof(fc.constantFrom(...'abcAé中😀\0', 'ab', ''), fc.string({ unit: 'binary', maxLength: 1 }));

/**
 * Draws dictionaries. Tokens contain no lone surrogates, because the store replaces these. N-grams
 * may be listed twice, share a column, or lack their prefixes.
 */
const source = (unit: 'word' | 'character'): fc.Arbitrary<DictionarySource> =>
  fc
    .record({
      tokens: fc.uniqueArray(
        (unit === 'word' ? word : character).map((text) => text.toWellFormed()),
        { minLength: 1, maxLength: 60 },
      ),
      bySize: fc.array(fc.array(fc.nat(1000), { maxLength: 120 }), { minLength: 1, maxLength: 5 }),
      columnCount: fc.integer({ min: 1, max: 60 }),
      columns: fc.infiniteStream(fc.nat(1000)),
      sizes: fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })),
      frequency: fc.option(fc.infiniteStream(fc.nat(3)), { nil: undefined }),
    })
    .map(({ tokens, bySize, columnCount, columns, sizes, frequency }) => {
      const gramCounts = bySize.map((numbers, index) => Math.floor(numbers.length / (index + 1)));
      const grams = bySize.flatMap((numbers, index) => numbers.slice(0, gramCounts[index]! * (index + 1)));
      const count = gramCounts.reduce((sum, ofSize) => sum + ofSize, 0);
      return {
        unit,
        tokens,
        grams: Int32Array.from(grams, (number) => number % tokens.length),
        gramCounts,
        columns: Int32Array.from({ length: count }, () => (columns.next().value as number) % columnCount),
        columnCount,
        minN: Math.min(...sizes),
        maxN: Math.max(...sizes),
        frequency: frequency && Int32Array.from({ length: columnCount }, () => frequency.next().value as number),
      };
    });

describe.skipIf(addon === undefined)('dictionaries of the addon', () => {
  test.each(['word', 'character'] as const)('of %ss have the bytes of buildDictionary', (unit) => {
    fc.assert(
      fc.property(source(unit), (given) => {
        const tokens = bytesOfStrings(list(given.tokens));
        const built = native.dictionary({ ...given, tokens });
        expect(built !== undefined && Buffer.compare(built, buildDictionary(given))).toBe(0);
      }),
      parameters,
    );
  });

  test('of 30,000 words and pairs, with and without frequencies', () => {
    const tokens = Array.from({ length: 20_000 }, (_, at) => `${(at * 2654435761) % 1_000_003}${'x'.repeat(at % 23)}`);
    const pairs = Array.from({ length: 20_000 }, (_, at) => (at * 7919) % 20_000);
    const given = {
      unit: 'word' as const,
      tokens,
      grams: Int32Array.from([...tokens.keys(), ...pairs]),
      gramCounts: [20_000, 10_000],
      columns: Int32Array.from({ length: 30_000 }, (_, at) => at),
      columnCount: 30_000,
      minN: 1,
      maxN: 2,
    };
    for (const frequency of [undefined, given.columns.map((column) => (column * 31) % 977)]) {
      const built = native.dictionary({ ...given, frequency, tokens: bytesOfStrings(list(tokens)) })!;
      expect(Buffer.compare(built, buildDictionary({ ...given, frequency }))).toBe(0);
    }
  });

  test('of stop words have the bytes of buildStopWords', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 80 }), fc.constantFrom(...actions), (words, fold) => {
        const stored = list(words.map((text) => text.toWellFormed()));
        const expected = buildStopWords(stored.values.map((text) => foldText(text, fold)));
        expect(Buffer.compare(encodedStopWords(stored, fold, native), expected)).toBe(0);
        expect(Buffer.compare(encodedStopWords(stored, fold), expected)).toBe(0);
      }),
      parameters,
    );
  });

  test('a source that buildDictionary rejects has its error', () => {
    const good = { unit: 'word' as const, grams: Int32Array.of(0), gramCounts: [1], columnCount: 1, minN: 1, maxN: 1 };
    const bad = [
      { ...good, columns: Int32Array.of(1) },
      { ...good, columns: Int32Array.of(-1) },
      { ...good, columns: Int32Array.of(0, 0) },
      { ...good, columns: Int32Array.of(0), grams: Int32Array.of(1) },
      { ...good, columns: Int32Array.of(0), gramCounts: [1, 1] },
      { ...good, columns: Int32Array.of(0), minN: 2 },
      { ...good, columns: Int32Array.of(0), minN: 0.5 },
      { ...good, columns: Int32Array.of(0), frequency: new Int32Array(2) },
    ];
    for (const given of bad)
      expect(() => encodedDictionary(list(['a']), given, native)).toThrow(
        expect.objectContaining({ code: 'ERR_STORE_DICTIONARY' }),
      );
  });

  test('malformed lists are rejected without reading beyond them', () => {
    const bytes = bytesOfStrings(list(['ab', 'é', '']));
    for (let at = 0; at < bytes.length; at++) {
      for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
        const changed = bytes.slice();
        changed[at] = value;
        const found = native.distinct(changed);
        if (found !== undefined) expect(encodedStrings(changed, [3]).values).toHaveLength(3);
      }
      expect(native.distinct(bytes.subarray(0, at))).toBeUndefined();
    }
  });
});

test('the addon encodes and numbers strings as the store does', { skip: addon === undefined }, () => {
  fc.assert(
    fc.property(fc.array(word), (given) => {
      const words = given.map((text) => text.toWellFormed());
      const bytes = Buffer.from(words.join(''));
      const lengths = Uint32Array.from(words, (text) => Buffer.byteLength(text));
      const offsets = lengths.map((_, index) => lengths.subarray(0, index).reduce((sum, length) => sum + length, 0));
      const encoded = native.encode(bytes, offsets, lengths)!;
      expect(Buffer.compare(encoded, bytesOfStrings(list(words)))).toBe(0);
      const distinct = [...new Set(words)];
      const { strings, numbers } = native.distinct(encoded)!;
      expect(encodedStrings(strings, [distinct.length]).values).toEqual(distinct);
      expect([...numbers]).toEqual(words.map((text) => distinct.indexOf(text)));
    }),
    parameters,
  );
  const invalid = Uint8Array.of(0x61, 0xc3, 0x61);
  expect(native.encode(invalid, Uint32Array.of(0), Uint32Array.of(3))).toBeUndefined();
  expect(() => native.encode(invalid, Uint32Array.of(1), Uint32Array.of(3))).toThrow(/outside/);
});

test('folding encoded strings equals folding each text', () => {
  const texts = Array.from(
    { length: 0x3000 },
    (_, code) => String.fromCodePoint(code) + String.fromCodePoint(0x1e000 + code),
  );
  for (const given of [texts, texts.slice(0, 0x80).map((text) => text[0]!), ['', 'aB', 'Zz@[`{'], []]) {
    for (const action of actions) {
      const folded = foldStrings(bytesOfStrings(list(given)), action);
      expect(encodedStrings(folded, [given.length]).values).toEqual(given.map((text) => foldText(text, action)));
    }
  }
});

test('encoded strings are decoded when they are read, and stored as they are', async () => {
  const store = await openStore();
  const bytes = bytesOfStrings(list(['a', '\ud800', '']));
  const value = encodedStrings(bytes, [3]);
  const id = store.put(value);
  expect(store.put(list(['a', '\ud800', '']))).toBe(id);
  expect(store.get(id)).toEqual(list(['a', '\ufffd', '']));
  expect(bytesOfStrings(store.get(id) as StringParameter)).toEqual(bytes);
  expect(() => store.put(encodedStrings(bytes, [3, 1]))).not.toThrow();
  expect(() => encodedStrings(bytes, [2])).toThrow(expect.objectContaining({ code: 'ERR_STORE_VALUE' }));
});
