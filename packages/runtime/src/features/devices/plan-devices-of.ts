import { runtimeError } from '../../errors.js';
import type { CheckedOptions } from '../../plans/register-options.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import type { Devices } from './devices.js';
import { PlanDevices } from './plan-devices.js';

/**
 * Returns the device stages of a plan, or undefined if the plan has none.
 *
 * @throws ERR_RUNTIME_OPTION for options that cannot be combined with device stages;
 * also the errors of `PlanDevices.of`.
 */
export function planDevices(
  plan: ServedPlan,
  { places, lowering, scheduling, cache, batching }: CheckedOptions,
  devices: Devices,
): PlanDevices | undefined {
  const found = PlanDevices.of(plan, { places, lowering, scheduling }, devices);
  if (found === undefined) return undefined;
  const wrong = Object.entries({ cache, batching, 'an operator with a deadline': plan.isolated }).find(
    ([, value]) => value !== undefined,
  );
  if (wrong === undefined) return found;
  found.close();
  throw runtimeError('ERR_RUNTIME_OPTION', {
    expected: 'neither cache nor batching nor operators with deadlines for a plan on a device',
    received: wrong[0],
    at: plan.name,
    hint: 'lowering.maxDelayMs gathers rows of such a plan; device "cpu" supports all of these options',
  });
}
