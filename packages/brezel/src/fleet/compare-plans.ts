import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import { BrezelError, type OwnedPlan } from '@brezel/core';
import type { FleetFile } from '@brezel/fleet-file';
import type { ObjectStore } from '@brezel/object-store';
import { PlanComparison } from '@brezel/oven';
import { checkValues } from './check-stage.js';
import { fleetError } from './errors.js';

/** The number of plans that are compared before the event loop runs again. */
const AT_ONCE = 8;

/**
 * Checks the parameter values of all plans of a file. Also checks that each plan has kernel calls
 * that this version of Brezel can select for its operators.
 *
 * Many plans share stages, so each stage is compared once. With the addon, all plans stay open
 * until the end, so that a shared vocabulary is decoded once. Without the addon, each plan is
 * released after its comparison, because its parameters are copies that need memory.
 *
 * @throws ERR_FLEET_STAGE
 */
export async function comparePlans(file: FleetFile, store: ObjectStore): Promise<void> {
  const comparison = new PlanComparison(store);
  const checked = new Set<string>();
  const held: OwnedPlan[] = [];
  try {
    for (const [number, name] of file.names.entries()) {
      const plan = file.plan(name);
      held.push(plan);
      for (const { stage } of plan.stages) {
        if (checked.has(stage.key)) continue;
        checkValues(stage, store);
        checked.add(stage.key);
      }
      comparePlan(plan, comparison, file.path);
      if (store.memory.kind === 'shared') held.pop()!.release();
      if (number % AT_ONCE === AT_ONCE - 1) await turnOfTheEventLoop();
    }
  } finally {
    for (const plan of held) plan.release();
  }
}

function comparePlan(plan: OwnedPlan, comparison: PlanComparison, path: string): void {
  const expected = 'the kernel calls of its steps';
  const at = `${path}, plan "${plan.name}"`;
  let received: string | undefined;
  try {
    received = comparison.differenceOf(plan);
  } catch (cause) {
    const message = cause instanceof BrezelError ? cause.message : 'invalid attributes or parameters';
    throw fleetError('ERR_FLEET_STAGE', { expected, received: message, at, cause });
  }
  if (received !== undefined) throw fleetError('ERR_FLEET_STAGE', { expected, received, at });
}
