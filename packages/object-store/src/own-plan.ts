import type { CompiledPlan, OwnedPlan } from '@brezel/core';
import type { ObjectStore } from './store.js';

/** A plan that holds one reference to each of its parameters until it is released or garbage collected. */
export function ownPlan(compiled: CompiledPlan, store: ObjectStore): OwnedPlan {
  const leases = compiled.parameters.map((id) => {
    store.retain(id);
    return store.lease(id);
  });
  const release = () => {
    for (const lease of leases.splice(0)) lease.release(); // whoever keeps the plan keeps no leases
  };
  return Object.freeze(Object.defineProperty({ ...compiled }, 'release', { value: release }) as OwnedPlan);
}
