import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seed } from '../../text/test/seed.js';
import { Checksum } from './index.js';

const checksum = await Checksum.create();

// XXH64 of the empty input and of "abc", from the reference implementation: the first half with
// seed 0, the second half with Brezel's second seed.
test('the first half is XXH64', () => {
  expect(checksum.ofText('').slice(0, 16)).toBe('ef46db3751d8e999');
  expect(checksum.ofText('abc').slice(0, 16)).toBe('44bc2cf5ad770999');
});

test('is part of the format: it never changes', () => {
  expect(checksum.ofText('brezel')).toMatchInlineSnapshot(`"21f1020d938c3e105063eeccd934abf8"`);
  expect(checksum.of(new Uint8Array(100_000))).toMatchInlineSnapshot(`"2c9fd5b2f34e23db10aeca73bd02dab1"`);
});

test('depends on every bit, and on nothing else', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), fc.nat(7), (bytes, at, bit) => {
      const place = at % bytes.length;
      const sum = checksum.of(bytes);
      expect(sum).toMatch(/^[0-9a-f]{32}$/);
      expect(checksum.of(new Uint8Array([9, ...bytes, 9]).subarray(1, bytes.length + 1))).toBe(sum);
      expect(checksum.of(bytes.with(place, bytes[place]! ^ (1 << bit)))).not.toBe(sum);
      expect(checksum.of(new Uint8Array([...bytes, 0]))).not.toBe(sum);
    }),
    { seed },
  );
});

test('pieces make no difference: longer than its window', () => {
  const bytes = new Uint8Array(3 * 65_536 + 17).map((_, at) => (at * 31) ^ (at >> 8));
  const sum = checksum.of(bytes);
  expect(checksum.of(bytes.slice())).toBe(sum);
  expect(checksum.of(bytes.with(65_536, 1))).not.toBe(sum);
  expect(checksum.of(bytes.with(bytes.length - 1, 1))).not.toBe(sum);
});
