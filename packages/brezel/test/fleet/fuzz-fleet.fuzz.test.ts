import { afterAll, test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { temporaryFolder } from './folder.js';
import { fuzzFleet } from './fuzz-fleet.js';

const RUNS = Number(process.env.BREZEL_FUZZ_RUNS ?? 200);
const folder = temporaryFolder();
afterAll(folder.remove);

test.each(['facts', 'bytes', 'attributes', 'parameters'])(`${RUNS} files with wrong values in their %s`, (attack) =>
  fuzzFleet(attack, folder.path, RUNS, seed),
);
