import type { KernelCall, PhysicalStage } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { loadNative } from '../native-store.js';

// Stages from unverified files that run in the addon, which does its own checks. Their operators
// are checked before JavaScript runs or reads them. In most processes it never does.

/** The store of each unchecked stage's parameters. */
const unchecked = new WeakMap<PhysicalStage, ObjectStore>();
let addonKernels: ReadonlySet<string> | undefined;

/** Defers the check of a stage. Returns whether the addon runs it until then. */
export function deferStage(stage: PhysicalStage, store: ObjectStore): boolean {
  unchecked.set(stage, store);
  return stage.calls !== undefined && isKnown(stage.calls);
}

function isKnown(calls: readonly KernelCall[]): boolean {
  addonKernels ??= new Set(['alias', ...(loadNative().addon?.kernels() ?? [])]);
  for (let call = 0; call < calls.length; call++) if (!addonKernels.has(calls[call]!.kernel)) return false;
  return true;
}

/** Runs a deferred check of a stage. After an error the check runs again the next time. */
export function checkDeferred(stage: PhysicalStage, check: (stage: PhysicalStage, store: ObjectStore) => void): void {
  const store = unchecked.get(stage);
  if (store === undefined) return;
  check(stage, store);
  unchecked.delete(stage);
}
