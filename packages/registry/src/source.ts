import type { CompiledPlan } from '@brezel/core';
import { registryError } from './errors.js';

/** A plan that came from a source. */
export interface LoadResult {
  readonly plan: CompiledPlan & { release?(): void };
  /** Called once when the registry has let the plan go. */
  readonly unloaded?: () => void;
}

/**
 * Where the plan of a version comes from. `load` is called at the first prediction, and again when
 * the version was unloaded meanwhile; many predictions that wait for it make it one call. The
 * registry releases the plan: its parameters are then held by the runtime alone.
 */
export interface PlanSource {
  /** What messages call it: a path, say. */
  readonly at?: string;
  load(): LoadResult | Promise<LoadResult>;
}

/** A source that is a plan already, which stays loaded: there is no place to load it from again. */
export const isPlan = (source: CompiledPlan | PlanSource): source is CompiledPlan => 'stages' in source;

/** @throws ERR_REGISTRY_SOURCE */
export function checkSource<S extends CompiledPlan | PlanSource>(source: S): S {
  const given = source as Partial<CompiledPlan & PlanSource> | null | undefined;
  if (Array.isArray(given?.stages) || typeof given?.load === 'function') return source;
  throw registryError('ERR_REGISTRY_SOURCE', { received: given === null ? 'null' : typeof given });
}
