import type { CompiledPlan } from '@brezel/core';
import { registryError } from './errors.js';

/**
 * A plan that a source has loaded, and a function that is called after the registry has released
 * the plan.
 */
export interface LoadResult {
  readonly plan: CompiledPlan & { release?(): void };
  /**
   * Resolves when the parameters of the plan are in memory, as `prefaulted` of a fleet does. Never
   * rejects. A registry with the option `warm` waits at most 30 s for each promise. If several
   * plans are in one file, return the same promise for all of them. Default: the registry does not
   * wait.
   */
  readonly prefaulted?: Promise<void>;
  /** The registry calls this function once, after it has released the plan. */
  readonly unloaded?: () => void;
}

/** The argument of `PlanSource.load`. */
export interface LoadOptions {
  /** Aborts when `loadTimeoutMs` passes. The registry then ignores the plan. */
  readonly signal: AbortSignal;
  /**
   * Pauses the timeout of the load. Call this function while the source waits for something that
   * other loads use, for example a thread. Returns a function that ends the pause. All pauses of a
   * load together last at most `loadTimeoutMs`; then the timeout runs again.
   */
  pauseTimeout(): () => void;
}

/**
 * An object that loads the plan of a version. `load` is called at the first prediction, and again
 * after an unload. Concurrent predictions share one load. The registry releases the plan after
 * registering it, so that only the runtime holds the parameters.
 */
export interface PlanSource {
  /** The name of the source in error messages, for example a path. */
  readonly at?: string;
  load(options?: LoadOptions): LoadResult | Promise<LoadResult>;
}

/**
 * Returns whether a source is a compiled plan. A version with a compiled plan stays loaded, because
 * it cannot be loaded again.
 */
export const isPlan = (source: CompiledPlan | PlanSource): source is CompiledPlan => 'stages' in source;

/**
 * Checks a source and returns it.
 * @throws ERR_REGISTRY_SOURCE
 */
export function checkSource<S extends CompiledPlan | PlanSource>(source: S): S {
  const candidate = source as Partial<CompiledPlan & PlanSource> | null | undefined;
  if (Array.isArray(candidate?.stages) || typeof candidate?.load === 'function') return source;
  throw registryError('ERR_REGISTRY_SOURCE', { received: candidate === null ? 'null' : typeof candidate });
}
