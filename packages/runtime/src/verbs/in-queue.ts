import type { QueuePlace } from '../features/admission/queue.js';
import type { PlanRecord } from '../plans/plan-record.js';
import type { Serving } from './serving.js';

/**
 * Runs a call that computes explanations. The rows of the call are in the queue until the call
 * ends.
 *
 * @throws ERR_RUNTIME_OVERLOADED, which the plan counts as a rejected call
 */
export async function inQueue<Result>(
  { queue }: Serving,
  record: PlanRecord,
  rows: number,
  run: (place: QueuePlace) => Promise<Result>,
): Promise<Result> {
  let place: QueuePlace;
  try {
    place = queue.enter(record.name, rows);
  } catch (error) {
    record.guard.enter(); // throws during a quarantine, as without explanations
    record.guard.failed(error);
    throw error;
  }
  try {
    return await run(place);
  } finally {
    place.leave();
  }
}
