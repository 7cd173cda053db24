import type { Clock } from '@brezel/core';
import { runtimeError } from '../errors.js';
import type { PlanEngines } from '../execute/plan-engines.js';
import type { CallLimits } from '../features/admission/call-limits.js';
import type { Queue } from '../features/admission/queue.js';
import type { ExecutorDoor } from '../parallel/executors/executor-facade.js';
import type { Isolation } from '../parallel/isolated/isolation.js';
import type { LivePlans } from '../plans/live-plans.js';
import type { PlanRecord } from '../plans/plan-record.js';
import type { PredictionTrace } from '../telemetry/prediction-trace.js';
import type { AsynchronousCall } from './asynchronous.js';

/** What the prediction verbs need of their runtime. */
export interface Serving {
  readonly live: LivePlans;
  readonly engines: PlanEngines;
  readonly queue: Queue;
  readonly executors: ExecutorDoor;
  readonly isolation: Isolation | undefined;
  readonly clock: Clock;
}

export const asynchronousCall = (
  { live, queue }: Serving,
  record: PlanRecord,
  limits?: CallLimits,
  trace?: PredictionTrace,
): AsynchronousCall => ({ record, queue, limits, trace, stillThere: () => live.checkThere(record) });

/** @throws ERR_RUNTIME_OUTPUT */
export function checkOut(out: Float64Array, width: number, at: string): void {
  if (out instanceof Float64Array && out.length >= width) return;
  const [expected, received] = [`a Float64Array of ${width}`, `${out?.constructor?.name} of ${out?.length}`];
  throw runtimeError('ERR_RUNTIME_OUTPUT', { expected, received, at });
}
