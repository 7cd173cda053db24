import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seed } from '../../../../testing/seed.js';
import { codeOf } from '../../test/errors.js';
import { rangesOf } from './ranges.js';
import { decodeRecipe, encodeRecipe, MAX_PART_BYTES, MAX_PARTS, MAX_RECIPE_BYTES, sha256Of } from './recipe.js';

const SHA = sha256Of(Buffer.from('x'));
const part = (bytes: number) => ({ sha256: SHA, bytes });
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value));

test('a recipe is equal after it was encoded and decoded', () => {
  const recipe = { bytes: 12, parts: [part(5), part(7)] };
  expect(decodeRecipe(encodeRecipe(recipe), 'a')).toEqual(recipe);
});

test('the largest recipe fits the limit of its object', () => {
  const parts = Array.from({ length: MAX_PARTS }, () => part(MAX_PART_BYTES));
  const recipe = { bytes: MAX_PARTS * MAX_PART_BYTES, parts };
  expect(encodeRecipe(recipe).length).toBeLessThanOrEqual(MAX_RECIPE_BYTES);
  expect(decodeRecipe(encodeRecipe(recipe), 'a')).toEqual(recipe);
});

test.each([
  Buffer.alloc(0),
  Buffer.from([0xff, 0xfe]),
  encoded(null),
  encoded([]),
  encoded({}),
  encoded({ format: 'brezel-artifact-2', bytes: 1, parts: [[SHA, 1]] }),
  encoded({ format: 'brezel-artifact-1', bytes: 0, parts: [] }),
  encoded({ format: 'brezel-artifact-1', bytes: 1, parts: { length: 1 } }),
  encoded({ format: 'brezel-artifact-1', bytes: 1, parts: [null] }),
  encoded({ format: 'brezel-artifact-1', bytes: 1, parts: [['../../etc/passwd', 1]] }),
  encoded({ format: 'brezel-artifact-1', bytes: 1, parts: [[SHA.toUpperCase(), 1]] }),
  encoded({ format: 'brezel-artifact-1', bytes: 2, parts: [[SHA, 1]] }),
  encoded({ format: 'brezel-artifact-1', bytes: '1', parts: [[SHA, 1]] }),
  encoded({
    format: 'brezel-artifact-1',
    bytes: 0,
    parts: [
      [SHA, 1],
      [SHA, -1],
    ],
  }),
  encoded({ format: 'brezel-artifact-1', bytes: 0, parts: [[SHA, 0]] }),
  encoded({ format: 'brezel-artifact-1', bytes: 1.5, parts: [[SHA, 1.5]] }),
  encoded({ format: 'brezel-artifact-1', bytes: MAX_PART_BYTES + 1, parts: [[SHA, MAX_PART_BYTES + 1]] }),
  encoded({ format: 'brezel-artifact-1', bytes: MAX_PARTS + 1, parts: new Array(MAX_PARTS + 1).fill([SHA, 1]) }),
])('rejects an invalid recipe %#', (bytes) => {
  expect(codeOf(() => decodeRecipe(bytes, 'a'))).toBe('ERR_NATS_ARTIFACT');
});

test('parts cover a file in order, and a large parameter starts a part', () => {
  const blob = fc.record({ gap: fc.nat(300), bytes: fc.oneof(fc.nat(8000), fc.nat(3 * MAX_PART_BYTES)) });
  const run = (blobs: readonly { readonly gap: number; readonly bytes: number }[], last: number) => {
    let end = 128;
    const parameters = blobs.map(({ gap, bytes }) => {
      const offset = Math.ceil((end + gap) / 64) * 64;
      end = offset + bytes;
      return { offset, bytes };
    });
    const total = Math.ceil(end / 64) * 64 + 64 + last;
    const ranges = rangesOf(parameters.toReversed(), total);
    let next = 0;
    for (const { offset, bytes } of ranges) {
      expect(offset).toBe(next);
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThanOrEqual(MAX_PART_BYTES);
      next += bytes;
    }
    expect(next).toBe(total);
    const starts = new Set(ranges.map(({ offset }) => offset));
    for (const { offset, bytes } of parameters) if (bytes >= 4096) expect(starts.has(offset)).toBe(true);
  };
  fc.assert(fc.property(fc.array(blob, { maxLength: 20 }), fc.nat(5000), run), { seed, numRuns: 300 });
});

test('a file of very many parameters has larger parts', () => {
  const parameters = Array.from({ length: 25_000 }, (_, index) => ({ offset: 128 + index * 4096, bytes: 4096 }));
  const total = 128 + 25_000 * 4096 + 64;
  const ranges = rangesOf(parameters, total);
  expect(ranges.length).toBeLessThanOrEqual(MAX_PARTS);
  expect(ranges.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(total);
  expect(codeOf(() => rangesOf([], MAX_PARTS * MAX_PART_BYTES + 1))).toBe('ERR_NATS_ARTIFACT');
});
