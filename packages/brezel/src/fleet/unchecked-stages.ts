import type { KernelCall, PhysicalStage } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { loadNative } from '../native-store.js';

// Defers the checks of stages in unverified files, for stages that run in the addon. The addon
// checks stages itself. The operators of such a stage are checked before JavaScript runs or reads
// the stage, which never happens in most processes.

/** For each stage whose check is deferred, the store with its parameters. */
const unchecked = new WeakMap<PhysicalStage, ObjectStore>();
let addonKernels: ReadonlySet<string> | undefined;

/**
 * Defers the check of a stage until `checkDeferred`. Returns false if the addon cannot run the
 * stage: the caller must then check the stage immediately.
 */
export function deferStage(stage: PhysicalStage, store: ObjectStore): boolean {
  unchecked.set(stage, store);
  return stage.calls !== undefined && isKnown(stage.calls);
}

function isKnown(calls: readonly KernelCall[]): boolean {
  addonKernels ??= new Set(['alias', ...(loadNative().addon?.kernels() ?? [])]);
  for (let call = 0; call < calls.length; call++) if (!addonKernels.has(calls[call]!.kernel)) return false;
  return true;
}

/**
 * Runs the deferred check of a stage, if it has one. If the check throws, it runs again the next
 * time.
 */
export function checkDeferred(stage: PhysicalStage, check: (stage: PhysicalStage, store: ObjectStore) => void): void {
  const store = unchecked.get(stage);
  if (store === undefined) return;
  check(stage, store);
  unchecked.delete(stage);
}
