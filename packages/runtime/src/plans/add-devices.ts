import { runtimeError } from '../errors.js';
import type { Devices } from '../features/devices/devices.js';
import { PlanDevices } from '../features/devices/plan-devices.js';
import type { PlanRecord } from './plan-record.js';
import type { CheckedOptions } from './register-options.js';

/**
 * Gives the dense stages of a plan to a device, where it was registered so.
 *
 * @throws ERR_RUNTIME_OPTION for what such plans cannot have; ERR_BACKEND_MISSING; ERR_RUNTIME_RESERVATION.
 */
export function addDevices(record: PlanRecord, checked: CheckedOptions, devices: Devices): void {
  const { places, lowering, scheduling, cache, batching } = checked;
  const wish = { places, lowering, scheduling };
  const found = PlanDevices.of(record, wish, devices);
  if (found === undefined) return;
  record.devices = found; // closed with the record, also when it is refused now
  const wrong = Object.entries({ cache, batching, 'an operator with a deadline': record.isolated }).find(
    ([, value]) => value !== undefined,
  );
  if (wrong === undefined) return;
  throw runtimeError('ERR_RUNTIME_OPTION', {
    expected: 'neither cache nor batching nor operators with deadlines for a plan on a device',
    received: wrong[0],
    at: record.name,
    hint: 'lowering.maxDelayMs gathers rows of such a plan; device "cpu" takes all of these',
  });
}
