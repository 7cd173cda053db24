import type { StagePlacement } from '@brezel/core';
import { runtimeError } from '../errors.js';
import type { PlanRecord } from '../plans/plan-record.js';

/**
 * Returns where each stage of a plan would currently run a block of `rows` rows.
 *
 * @throws ERR_RUNTIME_OPTION when `rows` is not a positive integer.
 */
export function placementOf({ name, compiled, features, boxes }: PlanRecord, rows: number): StagePlacement[] {
  if (!(Number.isSafeInteger(rows) && rows > 0))
    throw runtimeError('ERR_RUNTIME_OPTION', { expected: 'rows, a positive integer', received: `${rows}`, at: name });
  const why = 'registered for the CPU, or nothing of it can run elsewhere';
  const placed =
    features.find(({ placement }) => placement !== undefined)?.placement?.(rows) ??
    compiled.stages.map((_, stage): StagePlacement => ({ stage, device: 'cpu', transferBytes: 0, why }));
  return placed.map((placement, at) => {
    const box = boxes?.placement(compiled.stages[at]!.stage, rows);
    return box === undefined ? placement : { stage: placement.stage, ...box };
  });
}
