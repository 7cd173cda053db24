import type { StagePlacement } from '@brezel/core';
import type { Collect } from '../../execute/answers/answer-sink.js';
import type { Call, Execute } from '../../execute/execute.js';
import type { RowList } from '../../execute/rows/copied-rows.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import { Feature, type FeatureParts } from '../feature.js';
import type { PlanDevices } from './plan-devices.js';
import { runOnDevice } from './run-on-device.js';

/**
 * The serving feature that runs the dense stages of a plan on a device, for batches that are faster
 * on the device.
 */
export class DeviceExecute extends Feature implements FeatureParts {
  readonly #plan: ServedPlan;
  readonly #devices: PlanDevices;

  constructor(plan: ServedPlan, devices: PlanDevices, next: Execute) {
    super(next);
    this.#plan = plan;
    this.#devices = devices;
  }

  override rows<Result>(rows: RowList, call: Call, collect: Collect<Result>): Promise<Result> {
    if (!this.#devices.takes(rows.length)) return this.next.rows(rows, call, collect);
    call.trace?.started('device');
    return runOnDevice(this.#plan, rows, this.#devices.engine, call, collect);
  }

  override runsElsewhere(rows: number): boolean {
    return this.#devices.takes(rows) || this.next.runsElsewhere(rows);
  }

  open(): Promise<void> {
    return this.#devices.open();
  }

  placement(rows: number): StagePlacement[] {
    return this.#devices.placement(rows);
  }

  close(): void {
    this.#devices.close();
  }
}
