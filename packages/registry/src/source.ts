import type { CompiledPlan } from '@brezel/core';
import { registryError } from './errors.js';

/** The result of a source: a plan, and a function to call after its release. */
export interface LoadResult {
  readonly plan: CompiledPlan & { release?(): void };
  /** Called once after the registry releases the plan. */
  readonly unloaded?: () => void;
}

/** The argument of `PlanSource.load`. */
export interface LoadOptions {
  /** Aborts when `loadTimeoutMs` passes. The registry then ignores the plan. */
  readonly signal: AbortSignal;
  /**
   * Stops `loadTimeoutMs` while the source waits for something that other loads use, for example a
   * thread. Returns a function that continues it. All pauses of a load together last at most
   * `loadTimeoutMs`; then the time counts again.
   */
  pauseTimeout(): () => void;
}

/**
 * The source of a version's plan. `load` runs at the first prediction, and again after an unload.
 * Concurrent predictions share one load. The registry releases the plan after registering it, so
 * that only the runtime holds the parameters.
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
