import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/**
 * Compares a text with a golden file, which people review. `UPDATE_GOLDEN=1` writes the file
 * instead.
 */
export function expectGolden(file: URL, text: string): void {
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, text);
  const what = `${relative('.', fileURLToPath(file))} ${existsSync(file) ? 'differs' : 'is missing'}`;
  const stored = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  expect(text, `${what}; if the new text is right, run ${updateCommand()}`).toBe(stored);
}

/** The command that writes the golden files of the running test file. */
export const updateCommand = () => `UPDATE_GOLDEN=1 npx vitest run ${relative('.', expect.getState().testPath ?? '')}`;
