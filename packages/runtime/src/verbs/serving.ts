import type { Clock } from '@brezel/core';
import type { Call } from '../execute/execute.js';
import type { PlanEngines } from '../execute/plan-engines.js';
import type { CallLimits } from '../features/admission/call-limits.js';
import type { CallPlace, Queue } from '../features/admission/queue.js';
import type { ExecutorFacade } from '../parallel/executors/executor-facade.js';
import type { Isolation } from '../parallel/isolated/isolation.js';
import type { LivePlans } from '../plans/live-plans.js';
import type { PlanRecord } from '../plans/plan-record.js';
import type { PredictionTrace } from '../telemetry/prediction-trace.js';

/** The objects of a runtime that the prediction verbs use. */
export interface Serving {
  readonly live: LivePlans;
  readonly engines: PlanEngines;
  readonly queue: Queue;
  readonly executors: ExecutorFacade;
  readonly isolation: Isolation | undefined;
  readonly clock: Clock;
}

interface CallParts {
  readonly rows: number;
  readonly limits: CallLimits | undefined;
  readonly trace: PredictionTrace | undefined;
  readonly isQueued?: boolean;
  readonly first?: number;
  readonly isPaced?: boolean;
  readonly place?: CallPlace | undefined;
}

/** Builds the `Call` that the features of a plan receive. */
export function callOf(
  { live }: Serving,
  record: PlanRecord,
  { rows, limits, trace, isQueued = true, first = 0, isPaced = false, place }: CallParts,
): Call {
  const stillThere = () => live.checkThere(record);
  return { limits, trace, isQueued, first, isPaced, place, stillThere, watch: watchOf(stillThere, limits, rows) };
}

/**
 * Returns an object that checks whether a call may continue. Its `check` throws if the plan was
 * removed, the deadline has passed, or the signal has aborted.
 */
export const watchOf = (stillThere: () => void, limits: CallLimits | undefined, rows: number): Call['watch'] => ({
  limits,
  check: (answered) => {
    stillThere();
    limits?.check(answered, rows);
  },
});

/** Runs an asynchronous prediction. If the call has a trace, the trace records the outcome. */
export const traced = <T>(trace: PredictionTrace | undefined, run: () => Promise<T>): Promise<T> =>
  trace === undefined ? run() : trace.aroundLater(run);
