import type { StagePlacement } from '@brezel/core';
import { runtimeError } from '../errors.js';
import type { PlanRecord } from '../plan-record.js';

/**
 * Where each stage of a plan runs blocks of so many rows, as things stand.
 *
 * @throws ERR_RUNTIME_OPTION for rows that are no count.
 */
export function placementOf({ name, compiled, devices }: PlanRecord, rows: number): StagePlacement[] {
  if (!(Number.isSafeInteger(rows) && rows > 0))
    throw runtimeError('ERR_RUNTIME_OPTION', { expected: 'rows, a positive integer', received: `${rows}`, at: name });
  if (devices !== undefined) return devices.placement(rows);
  const why = 'registered for the CPU, or nothing of it can run elsewhere';
  return compiled.stages.map((_, stage) => ({ stage, device: 'cpu', transferBytes: 0, why }));
}
