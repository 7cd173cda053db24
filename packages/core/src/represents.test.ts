import { describe, expect, test } from 'vitest';
import { represents } from './represents.js';

const cases = [
  // dtype, value, exact, rounded
  ['float32', 0.5, true, true],
  ['float32', 0.1, false, true],
  ['float32', -0, true, true],
  ['float32', Number.NaN, true, true],
  ['float32', -Infinity, true, true],
  ['float32', 16_777_217, false, true],
  ['float32', 1e300, false, false],
  ['float32', 16_777_216n, true, true],
  ['float32', 16_777_217n, false, false],
  ['float32', 10n ** 400n, false, false],
  ['float64', 0.1, true, true],
  ['float64', 2n ** 53n, true, true],
  ['float64', 2n ** 53n + 1n, false, false],
  ['float64', 10n ** 400n, false, false],
  ['int64', -(2 ** 63), true, true],
  ['int64', 2 ** 63, false, false],
  ['int64', 2n ** 63n - 1n, true, true],
  ['int64', 2n ** 63n, false, false],
  ['int64', 0.5, false, false],
  ['int64', Number.NaN, false, false],
  ['int32', -(2 ** 31), true, true],
  ['int32', 2 ** 31, false, false],
  ['int32', -0, true, true],
  ['int32', Infinity, false, false],
  ['int32', 2n ** 40n, false, false],
  ['bool', 1, true, true],
  ['bool', 0n, true, true],
  ['bool', 2, false, false],
  ['bool', 2n, false, false],
  ['int32', true, true, true],
] as const;

describe('an element type represents a value', () => {
  test.each(cases)('%s, %s', (dtype, value, exact, rounded) => {
    expect(represents(dtype, value, 'exact')).toBe(exact);
    expect(represents(dtype, value, 'rounded')).toBe(rounded);
  });

  test.each([null, undefined, '1', '', [], [1], {}, Symbol('one')])('no type represents %s', (value) => {
    for (const dtype of ['float32', 'float64', 'int64', 'int32', 'bool'] as const)
      expect(represents(dtype, value, 'rounded')).toBe(false);
  });
});
