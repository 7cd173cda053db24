import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { archiveOf, type Part, type TypeName } from './archive-file.js';
import * as parts from './parts.js';
import { answersOf } from './predictor.js';
import { seed } from './seed.js';

const { fround } = Math;
/** Returns a column of a pipeline for some rows of input columns. */
const column = async (
  transforms: readonly Part[],
  schema: Record<string, TypeName>,
  rows: readonly object[],
  output = 'Out',
) => (await answersOf(archiveOf(transforms, schema), rows, { outputs: [output] })).map((answer) => answer[output]);

describe('transforms of ML.NET', () => {
  test('columns are copied, selected and concatenated', async () => {
    const transforms = [parts.copy(['B', 'A']), parts.concat('Out', 'A', 'V', 'B'), parts.select(true, ['Out'])];
    const rows = [{ A: 1.5, V: [2, 3] }];
    expect(await column(transforms, { A: 'Single', V: ['Single', 2] }, rows)).toEqual([[1.5, 2, 3, 1.5]]);
  });

  test('a transform reads the columns as they were before it', async () => {
    const swapped = [parts.copy(['A', 'B'], ['B', 'A']), parts.concat('Out', 'A', 'B')];
    expect(await column(swapped, { A: 'Single', B: 'Single' }, [{ A: 1, B: 2 }])).toEqual([[2, 1]]);
  });

  test('keys of texts: numbers from 1, values, and a 1 in their column', async () => {
    const rows = ['red', 'blue', 'green', ''].map((Color) => ({ Color }));
    const schema = { Color: 'TextSpan' } as const;
    const key = parts.valueToKey('Key', 'Color', ['red', 'blue']);
    expect(await column([key], schema, rows, 'Key')).toEqual([1, 2, 0, 0]);
    expect(await column([key, parts.keyToValue(['Out', 'Key'])], schema, rows)).toEqual(['red', 'blue', '', '']);
    const oneHot = [key, parts.keyToVector('Out', 'Key')];
    expect(await column(oneHot, schema, rows)).toEqual([
      [1, 0],
      [0, 1],
      [0, 0],
      [0, 0],
    ]);
  });

  test('keys without a list: hashes, and a 1 in their column', async () => {
    const rows = ['alibaba', 'hello', ''].map((T) => ({ T }));
    const schema = { T: 'TextSpan' } as const;
    const old = await column([parts.hash('Out', 'T', 31, 0x00010002)], schema, rows);
    // The first value is from ML.NET's tests, which write keys from 0.
    expect([old[0], old[2]]).toEqual([828372953, 0]);
    const keys = (await column([parts.hash('Key', 'T', 3, 0x00010004)], schema, rows, 'Key')) as number[];
    const columns = await column(
      [parts.hash('Key', 'T', 3, 0x00010004), parts.keyToVector('Out', 'Key')],
      schema,
      rows,
    );
    expect(columns).toEqual(keys.map((key) => Array.from({ length: 8 }, (_, at) => Number(at === key - 1))));
    expect(keys[2]).toBe(0);
  });

  test('keys of numbers', async () => {
    const key = parts.valueToKey('Key', 'X', Float32Array.of(2.5, -1, 0));
    const rows = [2.5, 0, -0, Number.NaN, 3].map((X) => ({ X }));
    expect(await column([key], { X: 'Single' }, rows, 'Key')).toEqual([1, 3, 3, 0, 0]);
    const back = await column([key, parts.keyToValue(['Out', 'Key'])], { X: 'Single' }, rows);
    expect(back).toEqual([2.5, 0, 0, Number.NaN, Number.NaN]);
  });

  test('affine normalizers: (x - offset) * scale in float32', async () => {
    const one = (x: number, scale: number, offset: number) =>
      fround(fround(fround(x) - fround(offset)) * fround(scale));
    const scalar = [parts.affine('Out', 'X', [0.3], [0.1])];
    const xs = [0, 1, -2.75, 1e30, 0.1];
    expect(
      await column(
        scalar,
        { X: 'Single' },
        xs.map((X) => ({ X })),
      ),
    ).toEqual(xs.map((x) => one(x, 0.3, 0.1)));
    const vector = [parts.affine('Out', 'V', [0.3, 0, 2], [0.1, 5, 0], true)];
    // A scale of 0 makes the column 0; its offset does not matter.
    expect(await column(vector, { V: ['Single', 3] }, [{ V: [1, 7, -3] }])).toEqual([[one(1, 0.3, 0.1), 0, -6]]);
    const scaled = [parts.affine('Out', 'V', [0.5, 4], [], true)];
    expect(await column(scaled, { V: ['Single', 2] }, [{ V: [1, 7] }])).toEqual([[0.5, 28]]);
  });

  test('conversions to floats, and replacements of missing values', async () => {
    const schema = { B: 'Boolean', I: 'Int32', L: 'Int64', X: 'Single' } as const;
    const rows = [
      { B: true, I: -7, L: 2 ** 24 + 1, X: Number.NaN },
      { B: false, I: 0, L: 5, X: 1.5 },
    ];
    const transforms = [
      parts.convert('B', 'B', 9),
      parts.convert('I', 'I', 9),
      parts.convert('L', 'L', 9),
      parts.replaceMissing('X', 'X', 0.25),
      parts.concat('Out', 'B', 'I', 'L', 'X'),
    ];
    expect(await column(transforms, schema, rows)).toEqual([
      [1, -7, 2 ** 24, 0.25],
      [0, 0, 5, 1.5],
    ]);
    expect(
      await column(
        [parts.convert('Out', 'X', 10)],
        schema,
        rows.map(({ X }) => ({ X })),
      ),
    ).toEqual([Number.NaN, 1.5]);
  });

  test('norms of rows', async () => {
    const of = (norm: number, subtractMean = false, scale = 1) =>
      column([parts.lpNorm('Out', 'V', norm, subtractMean, scale)], { V: ['Single', 2] }, [
        { V: [3, -4] },
        { V: [0, 0] },
      ]);
    const fifth = fround(1 / 5);
    expect(await of(0)).toEqual([
      [fround(3 * fifth), fround(-4 * fifth)],
      [0, 0],
    ]);
    expect(await of(2)).toEqual([
      [fround(3 * fround(1 / 7)), fround(-4 * fround(1 / 7))],
      [0, 0],
    ]);
    expect(await of(3)).toEqual([
      [0.75, -1],
      [0, 0],
    ]);
    expect(await of(0, false, 10)).toEqual([
      [6, -8],
      [0, 0],
    ]);
    expect(await of(1, true)).toEqual([
      [1, -1],
      [0, 0],
    ]); // mean -0.5, deviation 3.5
  });

  test('texts are normalized', async () => {
    const of = (options: readonly number[]) =>
      column([parts.normalizeText('Out', 'T', options)], { T: 'TextSpan' }, [{ T: 'Déjà 2, VU!' }]);
    expect(await of([0, 0, 1, 1])).toEqual(['deja 2, vu!']);
    expect(await of([1, 1, 0, 1])).toEqual(['DÉJÀ 2 VU']);
    expect(await of([2, 1, 1, 0])).toEqual(['Déjà , VU!']);
  });

  test('n-grams of words are trimmed between separators, and unknown n-grams are not counted', async () => {
    const terms = ['good', 'not', 'a\nb'];
    const grams = [[1], [2, 1], [3], [2]];
    const transforms = [
      parts.tokenizeWords('Words', 'T', ' ,'),
      parts.valueToKey('Keys', 'Words', terms),
      parts.ngrams('Out', 'Keys', grams),
    ];
    const rows = ['not good', 'good,good  not', '\tgood\u3000 a\nb', 'not very good', ''].map((T) => ({ T }));
    expect(await column(transforms, { T: 'TextSpan' }, rows)).toEqual([
      [1, 1, 0, 1],
      [2, 0, 0, 1],
      [1, 0, 1, 0],
      [1, 0, 0, 1],
      [0, 0, 0, 0],
    ]);
  });

  test('weights of n-grams', async () => {
    const of = (weighting: number) =>
      column(
        [
          parts.tokenizeWords('Words', 'T', ' '),
          parts.valueToKey('Keys', 'Words', ['a', 'b']),
          parts.ngrams('Out', 'Keys', [[1], [2]], weighting, [0.5, 3]),
        ],
        { T: 'TextSpan' },
        [{ T: 'a b a' }],
      );
    expect(await of(0)).toEqual([[2, 1]]);
    expect(await of(1)).toEqual([[0.5, 3]]);
    expect(await of(2)).toEqual([[1, 3]]);
  });

  test('n-grams of characters consist of UTF-16 units, with marks at the ends', async () => {
    const keys = (text: string) => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
    const grams = ['ab', '\x02a', 'b\x03', '😀', 'é\x03'].map(keys);
    const of = (isMarked: boolean) =>
      column(
        [parts.tokenizeCharacters('Chars', 'T', isMarked), parts.ngrams('Out', 'Chars', grams)],
        { T: 'TextSpan' },
        ['ab', 'abab', '😀é', ''].map((T) => ({ T })),
      );
    expect(await of(true)).toEqual([
      [1, 1, 1, 0, 0],
      [2, 1, 1, 0, 0],
      [0, 0, 0, 1, 1],
      [0, 0, 0, 0, 0],
    ]);
    expect(await of(false)).toEqual([
      [1, 0, 0, 0, 0],
      [2, 0, 0, 0, 0],
      [0, 0, 0, 1, 0],
      [0, 0, 0, 0, 0],
    ]);
  });

  test('random n-grams of characters are counted as in the C# code', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', 'é'), maxLength: 12 });
    const gram = fc.string({ unit: fc.constantFrom('\x02', 'a', 'b', ' ', '\x03'), minLength: 1, maxLength: 3 });
    const model = fc.record({
      texts: fc.array(text, { minLength: 1, maxLength: 8 }),
      grams: fc.uniqueArray(gram, { minLength: 1, maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(model, async ({ texts, grams }) => {
        const keys = grams.map((one) => [...one].map((unit) => unit.charCodeAt(0)));
        const transforms = [parts.tokenizeCharacters('Chars', 'T', true), parts.ngrams('Out', 'Chars', keys)];
        const counts = texts.map((one) => {
          const marked = one === '' ? '' : `\x02${one}\x03`;
          return grams.map((own) => Array.from(marked, (_, at) => marked.startsWith(own, at)).filter(Boolean).length);
        });
        expect(
          await column(
            transforms,
            { T: 'TextSpan' },
            texts.map((T) => ({ T })),
          ),
        ).toEqual(counts);
      }),
      { seed, numRuns: 8 },
    );
  });
});
