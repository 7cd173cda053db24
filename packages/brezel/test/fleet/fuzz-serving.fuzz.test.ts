import { loadNative } from 'brezel';
import { afterAll, test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { temporaryFolder } from './folder.js';
import { fuzzServing } from './fuzz-fleet.js';

// This test has a separate file, because the runner starts a process for each file.

const RUNS = Number(process.env.BREZEL_FUZZ_RUNS ?? 200);
const folder = temporaryFolder();
afterAll(folder.remove);

test.skipIf(!loadNative().addon).each(['facts', 'bytes', 'attributes', 'parameters'])(
  `brezel/serve: ${RUNS} files that lie in their %s`,
  (attack) => fuzzServing(attack, folder.path, RUNS, seed),
);
