import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CompiledPlan, type ObjectStore, openStore } from 'brezel';

/** A folder that goes with the test file. */
export function temporaryFolder(): { path(name: string): string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'brezel-fleet-'));
  return { path: (name) => join(folder, name), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Stores of every kind that this machine has: parameters mapped from the file, and read into
 * JavaScript.
 */
export async function stores(): Promise<Map<string, ObjectStore>> {
  const native = await openStore();
  const shared = await openStore({ native: false });
  return new Map([...(native.memory.kind === 'native' ? [['mapped', native] as const] : []), ['read', shared]]);
}

/** A plan as plain data, for comparison: without what is undefined, or a method. */
export const plain = (plan: CompiledPlan): unknown => JSON.parse(JSON.stringify(plan));
