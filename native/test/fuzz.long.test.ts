import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { findLibFuzzer } from '../../scripts/lib-fuzzer.mjs';
import { seed } from '../../testing/seed.js';

// A short run of every fuzz target. `npm run fuzz -- NAME --minutes N` runs one for longer.

const libFuzzer = findLibFuzzer();
const scale = Number(process.env.BREZEL_FUZZ_RUNS ?? 10_000) / 10_000;
const script = fileURLToPath(new URL('../../scripts/fuzz.mjs', import.meta.url));

test.skipIf('missing' in libFuzzer).each([
  ['loader', 25_000],
  ['forests', 20_000],
  ['stages', 10_000],
  ['dictionaries', 5000],
  ['onnx', 5000],
  ['lightgbm', 10_000],
  ['xgboost', 10_000],
  ['mlnet', 5000],
  ['pmml', 5000],
  ['scikit-learn', 5000],
])('%s: %i executions without a finding', (name, runs) => {
  // An empty corpus: with a corpus of earlier runs, the executions would only read it again.
  const corpus = mkdtempSync(join(tmpdir(), 'brezel-fuzz-'));
  const args = [script, name, '--runs', String(Math.ceil(runs * scale)), '--seed', String(seed), '--corpus', corpus];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  rmSync(corpus, { recursive: true });
  expect(status, stderr).toBe(0);
  expect(stdout).toMatch(/ [1-9]\d+ executions, cov: \d+, .* no finding/);
  console.info(stdout.trim());
});
