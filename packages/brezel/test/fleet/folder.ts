import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CompiledPlan, type ObjectStore, openStore } from 'brezel';

/** Creates a folder, which the test file removes at its end. */
export function temporaryFolder(): { path(name: string): string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'brezel-fleet-'));
  return { path: (name) => join(folder, name), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Every kind of store of this machine: with parameters mapped from the file, and with parameters
 * read into JavaScript.
 */
export async function stores(): Promise<Map<string, ObjectStore>> {
  const native = await openStore();
  const shared = await openStore({ native: false });
  return new Map([...(native.memory.kind === 'native' ? [['mapped', native] as const] : []), ['read', shared]]);
}

/** Returns a plan as plain data for comparison: without methods and undefined fields. */
export const plain = (plan: CompiledPlan): unknown => JSON.parse(JSON.stringify(plan));
