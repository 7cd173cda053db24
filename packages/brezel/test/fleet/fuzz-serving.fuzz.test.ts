import { loadNative } from 'brezel';
import { afterAll, test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { temporaryFolder } from './folder.js';
import { fuzzServing } from './fuzz-fleet.js';

// A file apart from fuzz-fleet.fuzz.test.ts: the runner gives each file a process.

const RUNS = Number(process.env.BREZEL_FUZZ_RUNS ?? 200);
const folder = temporaryFolder();
afterAll(folder.remove);

test.skipIf(!loadNative().addon).each(['facts', 'bytes', 'attributes', 'parameters'])(
  `brezel/serve: ${RUNS} files that lie in their %s`,
  (attack) => fuzzServing(attack, folder.path, RUNS, seed),
);
