import type { CallLimits } from '../admission-control/call-limits.js';
import type { Queue } from '../admission-control/queue.js';
import type { AsynchronousCall } from '../answering/asynchronous.js';
import type { PlanEngines } from '../answering/plan-engines.js';
import { runtimeError } from '../errors.js';
import type { ExecutorDoor } from '../executors/door.js';
import type { Isolation } from '../isolation/isolation.js';
import type { LivePlans } from '../lifecycle/live-plans.js';
import type { PredictionTrace } from '../observation/prediction-trace.js';
import type { PlanRecord } from '../plan-record.js';

/** What the prediction verbs need of their runtime. */
export interface Serving {
  readonly live: LivePlans;
  readonly engines: PlanEngines;
  readonly queue: Queue;
  readonly executors: ExecutorDoor;
  readonly isolation: Isolation | undefined;
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
