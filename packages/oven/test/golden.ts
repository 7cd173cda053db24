import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';

/** Compares a text with the file; `UPDATE_GOLDEN=1` writes it instead. */
export function expectGolden(file: URL, text: string): void {
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, text);
  expect(existsSync(file), `${file.pathname} is missing: UPDATE_GOLDEN=1 npx vitest run`).toBe(true);
  expect(text).toBe(readFileSync(file, 'utf8'));
}
