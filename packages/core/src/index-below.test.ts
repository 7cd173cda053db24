import { expect, test } from 'vitest';
import { indexBelow } from './index-below.js';

test('the valid indexes of a list', () => expect(indexBelow('an index', 3)).toBe('an index below 3'));
test('an empty list has no index', () =>
  expect(indexBelow('a feature', 0)).toBe('no feature, because the list is empty'));
