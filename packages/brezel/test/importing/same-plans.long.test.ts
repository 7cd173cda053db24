import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { corpus } from '../corpus/corpus.js';
import { comparesBothWays } from './both-ways.js';

// Imports every model of the corpus on this thread and on a worker thread.

const parts = ['pipelines', 'models', 'family', 'contributions', 'gbdt', 'mlnet-zip'];
const formats = /\.(onnx|txt|json|ubj|zip|model)$/;

/** The model files of a folder and its subfolders. */
function modelFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return modelFiles(path);
    return /^model\b/.test(entry.name) && formats.test(entry.name) ? [path] : [];
  });
}

test.skipIf(corpus === undefined).each(parts)('%s', async (part) => {
  const files = modelFiles(join(corpus!, part));
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    try {
      await comparesBothWays(readFileSync(file), { rowByRow: true });
    } catch (cause) {
      throw new Error(file, { cause });
    }
  }
});
