import type { CompiledPlan } from '@brezel/core';
import { registryError } from './errors.js';

/** A plan from a source. */
export interface LoadResult {
  readonly plan: CompiledPlan & { release?(): void };
  /** Called once after the registry releases the plan. */
  readonly unloaded?: () => void;
}

/**
 * The source of the plan of a version. `load` runs at the first prediction, and again after an
 * unload; concurrent predictions share one call. The registry releases the plan after it registers
 * the plan, so that only the runtime holds the parameters.
 */
export interface PlanSource {
  /** The name of the source in messages, for example a path. */
  readonly at?: string;
  load(): LoadResult | Promise<LoadResult>;
}

/**
 * Returns whether a source is a compiled plan. Such a version stays loaded, because it cannot be
 * loaded again.
 */
export const isPlan = (source: CompiledPlan | PlanSource): source is CompiledPlan => 'stages' in source;

/**
 * Checks a source and returns it.
 * @throws ERR_REGISTRY_SOURCE
 */
export function checkSource<S extends CompiledPlan | PlanSource>(source: S): S {
  const given = source as Partial<CompiledPlan & PlanSource> | null | undefined;
  if (Array.isArray(given?.stages) || typeof given?.load === 'function') return source;
  throw registryError('ERR_REGISTRY_SOURCE', { received: given === null ? 'null' : typeof given });
}
