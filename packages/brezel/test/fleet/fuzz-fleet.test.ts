import { loadNative } from 'brezel';
import { afterAll, test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { temporaryFolder } from './folder.js';
import { fuzzFleet, fuzzServing } from './fuzz-fleet.js';

const folder = temporaryFolder();
afterAll(folder.remove);

test.each([
  ['facts', 20],
  ['bytes', 30],
  ['attributes', 12],
  ['parameters', 12],
])('files that lie in their %s are refused, or run (%i files)', (attack, runs) =>
  fuzzFleet(attack, folder.path, runs, seed),
);

test.skipIf(!loadNative().addon).each([
  ['facts', 20],
  ['attributes', 10],
])('brezel/serve: files that lie in their %s are refused, or run (%i files)', (attack, runs) =>
  fuzzServing(attack, folder.path, runs, seed),
);
