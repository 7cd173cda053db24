import type { KernelCall, PhysicalStage } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { loadNative } from '../native-store.js';

// Stages out of files that were not verified, and run in the addon: it checks what it runs by itself. Their operators are checked when JavaScript is
// to run them or to read them, which most processes never do.

/** Where their parameters are. */
const unchecked = new WeakMap<PhysicalStage, ObjectStore>();
let addonKernels: ReadonlySet<string> | undefined;

/** Leaves the check of a stage for later. @returns whether the addon runs it until then */
export function deferStage(stage: PhysicalStage, store: ObjectStore): boolean {
  unchecked.set(stage, store);
  return stage.calls !== undefined && isKnown(stage.calls);
}

function isKnown(calls: readonly KernelCall[]): boolean {
  addonKernels ??= new Set(['alias', ...(loadNative().addon?.kernels() ?? [])]);
  for (let at = 0; at < calls.length; at++) if (!addonKernels.has(calls[at]!.kernel)) return false;
  return true;
}

/** Checks a stage that still has to be. What is wrong is told again the next time. */
export function checkDeferred(stage: PhysicalStage, check: (stage: PhysicalStage, store: ObjectStore) => void): void {
  const store = unchecked.get(stage);
  if (store === undefined) return;
  check(stage, store);
  unchecked.delete(stage);
}
