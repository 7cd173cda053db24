import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortFloat32 } from './short-float32.js';

const digitsOf = (value: number) =>
  Math.abs(value)
    .toExponential()
    .replace(/[.]|e.*/g, '').length;

/**
 * Computes the shortest decimal by its definition. For 1, 2, ... digits, it tries the nearest
 * decimal, until a decimal rounds to the value.
 */
function slow(value: number): number {
  if (value === 0) return value;
  for (let digits = 1; digits < 9; digits++) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === value) return candidate;
  }
  return Number(value.toPrecision(9));
}

const bits = new Uint32Array(1);
const float = new Float32Array(bits.buffer);
const ofBits = (pattern: number): number => {
  bits[0] = pattern;
  return float[0]!;
};
const anyFinite = fc.oneof(
  fc.float({ noNaN: true, noDefaultInfinity: true }),
  fc.float({ min: 0, max: 1, noNaN: true }),
  fc.integer({ min: -(2 ** 26), max: 2 ** 26 }).map((integer) => Math.fround(integer / 64)),
  fc.integer({ min: 0, max: 10 ** 8 }).map((integer) => Math.fround(integer / 10_000)),
  fc.integer({ min: 0, max: 0x7f7f_ffff }).map(ofBits),
);

test('it is the shortest number, and rounds to the same float32', () => {
  fc.assert(
    fc.property(anyFinite, (value) => {
      const short = shortFloat32(value);
      const wanted = slow(value);
      // toEqual distinguishes -0 from 0. Calls of expect take most of the time, so there is one.
      expect([Math.fround(short), digitsOf(short), short, shortFloat32(-value)]).toEqual([
        value,
        digitsOf(wanted),
        wanted,
        -short,
      ]);
    }),
    { numRuns: 20_000, verbose: true },
  );
});

test('powers of two, where float32 is denser below than above', () => {
  for (let exponent = -149; exponent <= 127; exponent++) {
    const value = 2 ** exponent;
    const short = shortFloat32(value);
    expect(Math.fround(short)).toBe(value);
    expect(digitsOf(short)).toBeLessThanOrEqual(digitsOf(slow(value)));
  }
  expect([-96, 87, 90].map((exponent) => shortFloat32(2 ** exponent))).toEqual([
    1.2621775e-29, 1.5474251e26, 1.2379401e27,
  ]);
});

test.each([
  [0.9935308694839478, 0.99353087],
  [0.1, 0.1],
  [1 / 3, 0.33333334],
  [123456.79, 123456.79],
  [3.4028234663852886e38, 3.4028235e38],
  [1.401298464324817e-45, 1e-45],
  [16777216, 16777216],
  [2 ** 30, 1073741800],
  [-0, -0],
  [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  [Number.NaN, Number.NaN],
])('%s is %s', (value, short) => {
  expect(shortFloat32(Math.fround(value))).toBe(short);
});
