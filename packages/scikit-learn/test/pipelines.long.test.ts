import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { golden, namesIn, worstDifference } from './answers.js';

const script = fileURLToPath(new URL('write_models.py', import.meta.url));

const pythonSklearn = ['python3', '/usr/bin/python3'].find(
  (command) => spawnSync(command, ['-c', 'import sklearn, pandas']).status === 0,
);

describe.skipIf(!pythonSklearn)('models of the installed scikit-learn', () => {
  const folder = mkdtempSync(join(tmpdir(), 'brezel-scikit-learn-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('answer like scikit-learn, within 1e-12', async () => {
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
    const { status, stderr } = spawnSync(pythonSklearn!, [script, folder], { encoding: 'utf8', env });
    expect([status, stderr]).toEqual([0, '']);
    const names = namesIn(folder);
    expect(names.length).toBeGreaterThan(50);
    for (const name of names) {
      const worst = await worstDifference(golden(folder, name), 'float64');
      expect([name, worst < 1e-12 ? 'agrees' : worst]).toEqual([name, 'agrees']);
    }
  });
});
