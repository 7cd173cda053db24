import type { RegisteredPlan } from '../../plans/registered-plan.js';

/** For each error of `predictManyBatch`, the plans that have counted it as their failure. */
const failed = new WeakMap<object, readonly RegisteredPlan[]>();

/** Records which plans of a call with several plans have failed. Returns the error. */
export function withFailedPlans(error: unknown, plans: readonly RegisteredPlan[]): unknown {
  if (typeof error === 'object' && error !== null) failed.set(error, plans);
  return error;
}

/**
 * Returns the plans that ended a call of `predictManyBatch` with this error. Empty if no plan ended
 * the call, but for example a limit of the queue.
 */
export const failedPlansOf = (error: unknown): readonly RegisteredPlan[] => failed.get(error as object) ?? [];
