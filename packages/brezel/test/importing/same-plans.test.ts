import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { onnxModel } from '../../../registry/test/models.js';
import { comparesBothWays } from './both-ways.js';

// Imports every model of this repository on this thread and on a worker thread.

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const own = folder('../corpus/own/');
const examples = folder('../../../../examples/models/');
const files = [
  ...readdirSync(own).map((name) => join(own, name, 'model.onnx')),
  ...readdirSync(examples).map((name) => join(examples, name)),
].filter((file) => existsSync(file) && !file.endsWith('.md'));

test('there are models', () => expect(files.length).toBeGreaterThanOrEqual(16));

test.each(files.map((file) => [file.slice(folder('../../../../').length), file]))('%s', async (_, file) => {
  expect(await comparesBothWays(readFileSync(file))).toBe(true);
});

test.each([
  ['an empty file', new Uint8Array()],
  ['a damaged file', onnxModel(1).subarray(0, 40)],
  ['a weight that is NaN', onnxModel(Number.NaN)],
  ['a damaged LightGBM file', Buffer.from('tree\nversion=v4\n')],
  ['a damaged XGBoost file', Buffer.from('{"learner":{"gradient_booster":{}},"version":[2,0,0]}')],
])('%s: equal errors', async (_, bytes) => expect(await comparesBothWays(bytes)).toBe(false));
