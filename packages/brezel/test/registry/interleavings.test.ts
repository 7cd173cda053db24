import { test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { checkInterleavings } from './interleavings.js';

test('every answer is of a version that was meant, none is lost, the budget is kept', () =>
  checkInterleavings(150, seed));
