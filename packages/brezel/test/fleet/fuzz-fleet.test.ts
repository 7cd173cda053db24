import { loadNative } from 'brezel';
import { afterAll, test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { temporaryFolder } from './folder.js';
import { fuzzFleet, fuzzServing } from './fuzz-fleet.js';

const folder = temporaryFolder();
afterAll(folder.remove);

// A short run: fuzz-fleet.fuzz.test.ts and fuzz-serving.fuzz.test.ts draw 200 files of each kind.
test.each([
  ['facts', 2],
  ['bytes', 4],
  ['attributes', 2],
  ['parameters', 2],
])('files with wrong values in their %s are rejected, or run (%i files)', (attack, runs) =>
  fuzzFleet(attack, folder.path, runs, seed),
);

test.skipIf(!loadNative().addon).each([
  ['facts', 2],
  ['attributes', 2],
])('brezel/serve: files that lie in their %s are refused, or run (%i files)', (attack, runs) =>
  fuzzServing(attack, folder.path, runs, seed),
);
