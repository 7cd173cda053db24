import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seed } from '../test/seed.js';
import {
  buildDictionary,
  buildStopWords,
  DictionaryReader,
  type DictionarySource,
  NONE,
  WORD_PADDING,
} from './index.js';

const SIZES = 5;
const COLUMNS = 40;

/** Returns a text of these words without separators, in the form that the reader expects. */
function toText(words: readonly string[]) {
  const bytes = Buffer.from(words.join(''));
  const text = new DataView(new ArrayBuffer(bytes.length + WORD_PADDING));
  bytes.forEach((byte, at) => {
    text.setUint8(at, byte);
  });
  let end = 0;
  const bounds = words.flatMap((word) => {
    const start = end;
    end += Buffer.byteLength(word);
    return [start, end];
  });
  return { text, bounds: Int32Array.from(bounds) };
}

/**
 * Returns the columns that the reader finds for all n-grams of a text, with n as the outer loop.
 */
function columnsByReader(blob: Uint8Array, text: readonly string[]): number[] {
  const reader = new DictionaryReader(blob);
  const symbols = new Int32Array(text.length);
  if (reader.alphabet > 0) {
    symbols.set(text.map((symbol) => reader.symbolOf(symbol.codePointAt(0)!)));
  } else {
    const { text: joined, bounds } = toText(text);
    reader.findWords(joined, bounds, text.length, symbols);
  }
  const nodes = symbols.slice();
  const columns: number[] = [];
  for (let n = 1; n <= reader.maxN && n <= text.length; n++) {
    const count = text.length - n + 1;
    if (n <= reader.directMax) reader.readDirect(n, symbols, count, nodes);
    else if (n > 1) {
      const expected = Array.from({ length: count }, (_, at) => reader.findGram(nodes[at]!, symbols[at + n - 1]!));
      reader.extendGrams(nodes, symbols, n - 1, count);
      expect([...nodes.subarray(0, count)]).toEqual(expected);
    }
    if (n < reader.minN) continue;
    for (const node of nodes.subarray(0, count))
      if (reader.columnOf(node) !== NONE) columns.push(reader.columnOf(node));
  }
  return columns;
}

function columnsByMap(source: DictionarySource, text: readonly string[]): number[] {
  const byKey = new Map<string, number>();
  let at = 0;
  let gram = 0;
  source.gramCounts.forEach((count, index) => {
    const size = index + 1;
    for (let member = 0; member < count; member++, gram++, at += size) {
      const key = [...source.grams.subarray(at, at + size)].map((token) => source.tokens[token]!);
      byKey.set(JSON.stringify(key), source.columns[gram]!);
    }
  });
  const columns: number[] = [];
  for (let n = source.minN; n <= source.maxN; n++) {
    for (let i = 0; i + n <= text.length; i++) {
      const column = byKey.get(JSON.stringify(text.slice(i, i + n)));
      if (column !== undefined) columns.push(column);
    }
  }
  return columns;
}

const word = fc.oneof(
  fc.constantFrom(
    '',
    '\0',
    '\0\0',
    'a',
    'b',
    'ab',
    'é',
    '中',
    '😀',
    '\ufffd',
    'exactly15bytes!',
    'exactly16 bytes!',
    `${'x'.repeat(16)}\0`,
  ),
  fc.string({ maxLength: 6 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ minLength: 14, maxLength: 70, size: 'max' }),
  fc.constantFrom('\ud800', 'a\udc00'), // never in a text
);
const character = fc.oneof(
  fc.constantFrom(...'abcé中😀\0\n'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  fc.constantFrom('ab', '', '\ud800'), // not single code points
);

/**
 * Random dictionaries with grams of up to five tokens. Prefixes are often missing, and grams often
 * share columns.
 */
function dictionaries(unit: DictionarySource['unit']): fc.Arbitrary<{ source: DictionarySource; text: string[] }> {
  return fc
    .record({
      tokens: fc.uniqueArray(unit === 'word' ? word : character, { minLength: 1, maxLength: 40 }),
      sizes: fc.tuple(fc.integer({ min: 1, max: SIZES }), fc.integer({ min: 1, max: SIZES })),
      bySize: fc.tuple(
        ...Array.from({ length: SIZES }, (_, index) =>
          fc.uniqueArray(fc.array(fc.nat(1000), { minLength: index + 1, maxLength: index + 1 }), { maxLength: 30 }),
        ),
      ),
      columns: fc.infiniteStream(fc.nat(COLUMNS - 1)),
      text: fc.array(fc.oneof(fc.nat(1000), unit === 'word' ? word : character), { maxLength: 60 }),
    })
    .map(({ tokens, sizes, bySize, columns, text }) => {
      const grams = bySize.map((tuples) => {
        const distinct = new Map(
          tuples.map((tuple) => tuple.map((token) => token % tokens.length)).map((g) => [g.join(), g]),
        );
        return [...distinct.values()];
      });
      const count = grams.reduce((sum, ofSize) => sum + ofSize.length, 0);
      // A text of known and unknown symbols, then every gram, because long grams rarely occur by
      // chance.
      const symbols = [...text.map((item) => (typeof item === 'number' ? tokens[item % tokens.length]! : item))];
      for (const tuple of grams.flat()) symbols.push(...tuple.map((token) => tokens[token]!));
      return {
        source: {
          unit,
          tokens,
          grams: Uint32Array.from(grams.flat(2)),
          gramCounts: grams.map((ofSize) => ofSize.length),
          columns: Uint32Array.from({ length: count }, () => columns.next().value as number),
          columnCount: COLUMNS,
          minN: Math.min(...sizes),
          maxN: Math.max(...sizes),
        },
        text: symbols.filter((symbol) => symbol.isWellFormed() && (unit === 'word' || [...symbol].length === 1)),
      };
    });
}

test.each(['word', 'character'] as const)('finds the same %s n-grams as a map', (unit) => {
  fc.assert(
    fc.property(dictionaries(unit), ({ source, text }) => {
      expect(columnsByReader(buildDictionary(source), text)).toEqual(columnsByMap(source, text));
    }),
    { seed, numRuns: 400 },
  );
});

/** Returns random numbers, equal in every run. */
function* noise(state: number): Generator<number, never> {
  for (let value = state; ; ) {
    value = (Math.imul(value, 1664525) + 1013904223) | 0;
    yield value >>> 8;
  }
}

/** Returns distinct random grams of up to `maxN` tokens. */
function randomSource(
  unit: DictionarySource['unit'],
  tokens: string[],
  perSize: number,
  maxN: number,
): DictionarySource {
  const random = noise(7);
  const grams: number[][] = [];
  const gramCounts: number[] = [];
  for (let size = 1; size <= maxN; size++) {
    const distinct = new Map<string, number[]>();
    for (let member = 0; member < perSize; member++) {
      const gram = Array.from({ length: size }, () => random.next().value % tokens.length);
      distinct.set(gram.join(), gram);
    }
    gramCounts.push(distinct.size);
    grams.push(...distinct.values());
  }
  const columns = Uint32Array.from(grams, (_, column) => column);
  const columnCount = grams.length;
  return { unit, tokens, grams: Uint32Array.from(grams.flat()), gramCounts, columns, columnCount, minN: 1, maxN };
}

test.each([
  ['word', 0, 4000],
  ['character', 4, 37],
  ['character', 3, 127],
  ['character', 2, 128],
  ['character', 1, 1500],
] as const)('finds all entries of a large %s dictionary with %i direct tables', (unit, directMax, size) => {
  const tokens = Array.from({ length: size }, (_, token) =>
    unit === 'word' ? `w${token * 7919}` : String.fromCodePoint(0x60 + token),
  );
  const source = randomSource(unit, tokens, 3000, 5);
  const blob = buildDictionary(source);
  expect(new DictionaryReader(blob).directMax).toBe(directMax);
  const random = noise(11);
  const text = Array.from(source.grams, (token) => (random.next().value % 9 === 0 ? '\u{10ffff}' : tokens[token]!));
  expect(columnsByReader(blob, text)).toEqual(columnsByMap(source, text));
});

test('writes equal bytes for equal sources, in the layout of native/README.md', () => {
  const source = randomSource('word', ['a', 'b', 'a word of more than fifteen bytes', 'ü'], 10, 3);
  const blob = buildDictionary(source);
  expect(buildDictionary({ ...source })).toEqual(blob);
  const header = new Uint32Array(blob.buffer, 0, 25);
  expect([...header.subarray(0, 5)]).toEqual([0x474e5a42, 1, source.columnCount, 1, 3]);
  expect(header[11]).toBe(33);
  expect(header[24]).toBe(blob.length);
  for (const at of [7, 9, 10, 12]) {
    expect(header[at]! % 64).toBe(0);
    expect(header[at]!).toBeGreaterThanOrEqual(128);
  }
});

test('omits sizes without n-grams', () => {
  const source: DictionarySource = {
    unit: 'word',
    tokens: ['a', 'b'],
    grams: Uint32Array.of(0, 0, 1),
    gramCounts: [1, 1],
    columns: Uint32Array.of(0, 1),
    columnCount: 2,
    minN: 2,
    maxN: 9,
  };
  const blob = buildDictionary(source);
  expect(new DictionaryReader(blob)).toMatchObject({ minN: 2, maxN: 2 });
  expect(columnsByReader(blob, ['a', 'b', 'a', 'b'])).toEqual([1, 1]);
  const empty = buildDictionary({ ...source, unit: 'character', minN: 3 });
  expect(columnsByReader(empty, ['a', 'b'])).toEqual([]);
});

test('finds words with equal beginnings in full buckets, and no absent words', () => {
  const long = 'a word of more than fifteen bytes ';
  const all = Array.from({ length: 900 }, (_, at) => (at % 5 === 4 ? `${long}${at}` : `same${at}`));
  const present = all.filter((_, at) => at % 3 !== 0);
  const reader = new DictionaryReader(buildStopWords(present));
  const { text, bounds } = toText(all);
  const nodes = new Int32Array(all.length);
  reader.findWords(text, bounds, all.length, nodes);
  const nodeOf = new Map(present.map((word, node) => [word, node]));
  expect([...nodes]).toEqual(all.map((word) => nodeOf.get(word) ?? NONE));
});

test('finds only stop words', () => {
  const words = ['the', '', 'the', 'two words', 'ein längerer Satz als Stoppwort', '\0'];
  const reader = new DictionaryReader(buildStopWords(words));
  const { text, bounds } = toText([...words, 'thé', '\0\0']);
  const found = words.map((_, at) => reader.findWord(text, bounds[2 * at]!, bounds[2 * at + 1]!) !== NONE);
  expect(found).toEqual(words.map(() => true));
  expect(reader.findWord(text, bounds[12]!, bounds[13]!)).toBe(NONE);
  expect(reader.findWord(text, bounds[14]!, bounds[15]!)).toBe(NONE);
  expect(reader.longestWord()).toBe(32);
  expect(new DictionaryReader(buildStopWords([])).longestWord()).toBe(-1);
});

test('counts an n-gram that is listed twice in its first column', () => {
  const bytes = buildDictionary({
    unit: 'character',
    tokens: ['a'],
    grams: Uint32Array.of(0, 0),
    gramCounts: [2],
    columns: Uint32Array.of(1, 0),
    columnCount: 2,
    minN: 1,
    maxN: 1,
  });
  const reader = new DictionaryReader(bytes);
  const nodes = new Int32Array(1);
  reader.readDirect(1, Int32Array.of(reader.symbolOf(97)), 1, nodes);
  expect(reader.columnOf(nodes[0]!)).toBe(1);
});

test('rejects inconsistent sources', () => {
  const source: DictionarySource = {
    unit: 'word',
    tokens: ['a', 'b'],
    grams: Uint32Array.of(0, 1),
    gramCounts: [2],
    columns: Uint32Array.of(0, 1),
    columnCount: 2,
    minN: 1,
    maxN: 1,
  };
  const build = (change: Partial<DictionarySource>) => () => buildDictionary({ ...source, ...change });
  expect(build({ grams: Uint32Array.of(0, 2) })).toThrow('token 2 of 2');
  expect(build({ grams: Uint32Array.of(0) })).toThrow('have 2 tokens, but 1');
  expect(build({ columns: Uint32Array.of(0) })).toThrow('2 grams, but 1 columns');
  expect(build({ columnCount: 1 })).toThrow('column 1 of 1');
  expect(build({ minN: 2 })).toThrow('n-gram sizes 2..1');
  expect(() => new DictionaryReader(new Uint8Array(128))).toThrow('not an n-gram dictionary');
});

/**
 * Returns ASCII words with equal hashes under every seed. The hash combines four words of 4 bytes
 * before it adds the seed. The function draws the first word at random. It then computes the second
 * word so that the combination stays the same: the multiplier is odd, so it has an inverse modulo
 * 2^32.
 */
function collidingWords(count: number): string[] {
  let inverse = 1;
  for (let step = 0; step < 5; step++) inverse = Math.imul(inverse, 2 - Math.imul(0x85ebca77, inverse));
  const random = noise(3);
  const words = new Set<string>();
  const bytes = Buffer.from('01234567rest');
  while (words.size < count) {
    const w0 = (random.next().value * 2654435761) & 0x7f7f7f7f;
    const mix = 0x12345678 ^ Math.imul(w0, 0x9e3779b1); // = rotl(w1 * C1, 8)
    const w1 = Math.imul((mix >>> 8) | (mix << 24), inverse);
    if ((w1 & 0x80808080) !== 0) continue;
    bytes.writeInt32LE(w0, 0);
    bytes.writeInt32LE(w1, 4);
    words.add(bytes.toString());
  }
  return [...words];
}

function unigrams(tokens: string[]): DictionarySource {
  const columns = Uint32Array.from(tokens, (_, column) => column);
  const columnCount = tokens.length;
  return { unit: 'word', tokens, grams: columns, gramCounts: [columnCount], columns, columnCount, minN: 1, maxN: 1 };
}

test('limits probing for words that were made to collide', () => {
  const few = unigrams([...collidingWords(40), 'other']);
  expect(columnsByReader(buildDictionary(few), few.tokens)).toEqual([...few.columns]);
  expect(() => buildDictionary(unigrams(collidingWords(200)))).toThrow(
    '200 dictionary keys collide under 8 hash seeds',
  );
});

test('places 20,000 words by frequency, or in another order if chains are too long', () => {
  const tokens = Array.from({ length: 20_000 }, (_, at) => `${(at * 2_654_435_761) % 1_000_003}`);
  const frequency = Int32Array.from(tokens, (_, at) => (at * 31) % 977);
  const source = { ...unigrams(tokens), frequency };
  expect(columnsByReader(buildDictionary(source), tokens.slice(0, 3000))).toEqual([...source.columns.slice(0, 3000)]);
});
