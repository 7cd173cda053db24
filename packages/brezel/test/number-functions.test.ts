import { bytesOfStrings, encodedStrings, type NumberFunctions, type StringFunctions } from '@brezel/object-store';
import { createFlour, openStore as open } from 'brezel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seed } from '../../../testing/seed.js';
import { loadNative, openStore } from '../src/native-store.js';

// Compares functions of the addon, which importers and the compiler use, with loops in TypeScript.

const parameters = { seed, numRuns: 300 };
const { addon } = loadNative();
const memory = (await openStore()).memory;
const native = memory.numbers as NumberFunctions;
const strings = memory.strings as StringFunctions;
const special = fc.constantFrom(0, -0, Infinity, -Infinity, Number.NaN, 2 ** -149);
const number = fc.oneof({ weight: 20, arbitrary: fc.float() }, special);
const bits = (numbers: Float32Array) => [...new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length)];

describe.skipIf(addon === undefined)('arrays of numbers', () => {
  test('are finite if all their numbers are', () => {
    fc.assert(
      fc.property(fc.array(number, { maxLength: 70, size: 'max' }), fc.nat(3), (list, skip) => {
        for (const array of [Float32Array.from(list), Float64Array.from(list)])
          expect(native.areFinite(array.subarray(skip))).toBe(
            array.subarray(skip).every((one) => Number.isFinite(one)),
          );
      }),
      parameters,
    );
  });

  test('are transposed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        fc.float32Array({ minLength: 81, maxLength: 81 }),
        (rows, columns, list) => {
          const matrix = list.subarray(0, rows * columns);
          const expected = Float32Array.from(matrix, (_, at) => matrix[(at % rows) * columns + Math.floor(at / rows)]!);
          expect(bits(native.transpose(matrix, rows, columns))).toEqual(bits(expected));
        },
      ),
      parameters,
    );
    for (const [rows, columns] of [
      [2, 3],
      [-1, -4],
      [2.5, 1],
      [Number.NaN, 4],
    ] as const)
      expect(() => native.transpose(new Float32Array(4), rows, columns)).toThrow(
        expect.objectContaining({ code: 'ERR_NATIVE_ARGUMENT' }),
      );
  });

  test('are halved if they are mirrored', () => {
    fc.assert(
      fc.property(fc.array(number, { maxLength: 70, size: 'max' }), fc.option(fc.nat()), (list, change) => {
        const pairs = Float32Array.from(list.flatMap((one) => [-one, one]));
        if (change !== null && pairs.length > 0) pairs[change % pairs.length] = 1;
        const isMirrored = pairs.every((one, at) => at % 2 === 1 || one === -pairs[at + 1]!);
        const half = native.mirroredHalf(pairs);
        if (isMirrored) expect(bits(half!)).toEqual(bits(pairs.filter((_, at) => at % 2 === 1)));
        else expect(half).toBeUndefined();
      }),
      parameters,
    );
    expect(native.mirroredHalf(new Float32Array(3))).toBeUndefined();
  });
});

test('distinct strings at positions are those of the list', { skip: addon === undefined }, () => {
  const text = fc.oneof(
    fc.constantFrom('', '\0', '\ufeffa', 'a', 'é', '😀'),
    fc.string({ unit: 'binary', maxLength: 40 }),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 60, size: 'max' }), (list) => {
      const values = list.map((one) => one.toWellFormed());
      const parts = values.map((one) => Buffer.from(one));
      const lengths = Uint32Array.from(parts, (part) => part.length);
      const offsets = lengths.map((_, index) => lengths.subarray(0, index).reduce((sum, one) => sum + one, 0));
      const found = strings.distinctAt(Buffer.concat(parts), offsets, lengths)!;
      const expected = strings.distinct(bytesOfStrings({ dtype: 'string', shape: [values.length], values }))!;
      expect(found).toEqual(expected);
      const distinct = encodedStrings(found.strings, [new Set(values).size], true).values;
      expect(Array.from(found.numbers, (index) => distinct[index])).toEqual(values);
    }),
    parameters,
  );
  // invalid UTF-8, half a surrogate pair, and a pair of surrogates
  for (const bytes of [[0xff], [0xed, 0xa0, 0x80], [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80], [0xc0, 0x80]])
    expect(strings.distinctAt(Uint8Array.from(bytes), Uint32Array.of(0), Uint32Array.of(bytes.length))).toBeUndefined();
  expect(() => strings.distinctAt(new Uint8Array(2), Uint32Array.of(1), Uint32Array.of(2))).toThrow(/outside/);
});

test('a weight that is not finite has the same error with and without the addon', async () => {
  const errors: string[] = [];
  for (const native of addon === undefined ? [false] : [false, true]) {
    const flour = await createFlour({ store: await open({ native }) });
    const words = flour.columns({ text: 'string' }).select('text').tokenize();
    const row = words.wordNgram({ vocabulary: [['a'], ['b']] });
    for (const wrong of [Number.NaN, Infinity, -Infinity]) {
      try {
        row.linear({ weights: [0, wrong] });
      } catch (error) {
        errors.push((error as Error).message);
      }
    }
    flour.dispose();
  }
  expect(errors).toHaveLength(addon === undefined ? 3 : 6);
  expect(new Set(errors).size).toBe(3);
});
