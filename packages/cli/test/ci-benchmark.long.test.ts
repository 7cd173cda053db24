import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { model, root, temporaryFolder } from './brezel.js';

// Runs the script of the action that users copy into their CI, unchanged, in a folder outside the
// repository.

const folder = temporaryFolder();
afterAll(folder.remove);

mkdirSync(folder.path('base/models'), { recursive: true });
mkdirSync(folder.path('models'));
const here = (name: string) => copyFileSync(model(0), folder.path(join('models', name)));
const there = (name: string) => copyFileSync(model(0), folder.path(join('base/models', name)));

function compare(models: string) {
  return spawnSync('bash', [join(root, 'examples/ci-benchmark/compare.sh')], {
    cwd: folder.path('.'),
    encoding: 'utf8',
    env: {
      ...process.env,
      NO_COLOR: '1',
      BREZEL: join(root, 'packages/brezel/bin/brezel.js'),
      BASE: 'base',
      MODELS: models,
      ROWS: 'rows.jsonl',
      TRIALS: '3',
      FAIL_ABOVE: '1000%',
    },
  });
}

test('compares the models of two folders by name, for any folder names', () => {
  folder.file('rows.jsonl', '{"text": "a good film"}\n');
  here('a b.onnx');
  there('a b.onnx');
  here('new $(exit 9).onnx');
  const { status, stdout, stderr } = compare('models/*.onnx other/**/*.onnx');
  expect(stderr).toBe('');
  expect(stdout).toMatch(/a b.onnx +parameters +1.00x \(1.00-1.00\) +no significant difference/);
  expect(stdout).toContain('new $(exit 9).onnx is not in the baseline');
  expect(status).toBe(0);
});

test('a run without benchmarks fails, and a run without a base succeeds', () => {
  expect(compare('models/none.onnx')).toMatchObject({ status: 2, stdout: '' });
  here('alone.onnx');
  const { status, stdout } = compare('models/alone.onnx');
  expect(stdout).toContain('nothing to compare');
  expect(status).toBe(0);
});
