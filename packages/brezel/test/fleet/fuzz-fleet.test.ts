import { afterAll, test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { temporaryFolder } from './folder.js';
import { fuzzFleet } from './fuzz-fleet.js';

const folder = temporaryFolder();
afterAll(folder.remove);

test.each([
  ['facts', 40],
  ['bytes', 60],
  ['attributes', 25],
  ['parameters', 25],
])('files that lie in their %s are refused, or run (%i files)', { timeout: 300_000 }, (attack, runs) =>
  fuzzFleet(attack, folder.path, runs, seed),
);
