import type { CompiledPlan, OwnedPlan } from '@brezel/core';
import type { ObjectStore } from './store.js';

/** A plan that holds one reference to each of its parameters until it is released or garbage collected. */
export function ownPlan(compiled: CompiledPlan, store: ObjectStore): OwnedPlan {
  const lease = store.hold(compiled.parameters);
  const release = () => lease.release();
  return Object.freeze(Object.defineProperty({ ...compiled }, 'release', { value: release }) as OwnedPlan);
}
