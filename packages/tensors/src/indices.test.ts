import { expect, test } from 'vitest';
import { indexesOf } from './indices.js';
import { validAxes } from './shapes.js';

test('the valid indexes of items', () => {
  expect(indexesOf('classes', 3, 'scores')).toBe('classes from 0 to 2');
  expect(indexesOf('classes', 0, 'scores')).toBe('no classes, because there are no scores');
});

test('the valid axes of a tensor', () => {
  expect(validAxes(2)).toBe('an axis in [-2, 1]');
  expect(validAxes(0)).toBe('no axis, because a scalar has none');
});
