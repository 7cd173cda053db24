import type { BackendOptions, DeviceStageForm, StagePlacement } from '@brezel/core';
import type { Scheduling } from '../executors/scheduling-options.js';
import type { PlanRecord } from '../registered-plan.js';
import type { Device } from './device.js';
import { DevicePlan } from './device-plan.js';
import type { DeviceStage } from './device-stage.js';
import type { Devices } from './devices.js';
import type { CheckedLowering } from './options.js';

/** A stage of a plan that a device may run. */
interface LoweredStage {
  readonly at: number;
  readonly stage: DeviceStage;
}

export interface DeviceWish {
  readonly places: BackendOptions;
  readonly lowering: CheckedLowering;
  readonly scheduling: Scheduling;
}

/** What a device runs of a plan. */
export class PlanDevices {
  /** `gpu` was asked for; else each call chooses. */
  readonly isAsked: boolean;
  readonly priority: Scheduling['priority'];
  readonly lowered: readonly LoweredStage[];
  readonly #record: PlanRecord;
  readonly #forms: readonly (DeviceStageForm | string)[];
  readonly #devices: Devices;
  readonly #device: Device;
  readonly #lowering: CheckedLowering;
  #engine: DevicePlan | undefined;
  #closed = false;

  /**
   * @returns undefined where nothing of the plan can run on a device.
   * @throws ERR_BACKEND_MISSING when the device is asked for and no backend takes lowered stages; ERR_RUNTIME_RESERVATION.
   */
  static of(record: PlanRecord, wish: DeviceWish, devices: Devices): PlanDevices | undefined {
    const { device = 'cpu' } = wish.places;
    if (device === 'cpu' || (device === 'auto' && devices.backend === undefined)) return undefined;
    const forms = formsOf(record, wish, devices);
    const isLowered = forms.some((form) => typeof form !== 'string');
    return isLowered ? new PlanDevices(record, forms, wish, devices) : undefined;
  }

  private constructor(
    record: PlanRecord,
    forms: readonly (DeviceStageForm | string)[],
    { places, lowering, scheduling }: DeviceWish,
    devices: Devices,
  ) {
    this.#record = record;
    this.#forms = forms;
    this.#devices = devices;
    this.#lowering = lowering;
    this.isAsked = places.device === 'gpu';
    this.priority = scheduling.priority;
    this.#device = devices.device(places, record.name);
    const isOwner = lowering.reserveCalls > 0;
    if (isOwner) this.#device.gate.reserve(this, lowering.reserveCalls, record.name);
    this.lowered = forms.flatMap((form, at) => {
      if (typeof form === 'string') return [];
      const { key } = record.compiled.stages[at]!.stage;
      return [{ at, stage: devices.acquire(this.#device, key, lowering, isOwner ? this : undefined, form) }];
    });
    for (const { stage } of this.lowered) stage.prepare();
  }

  /** The plan in the parts in which the device takes a hand. Made at the first call that goes there. */
  get engine(): DevicePlan {
    this.#engine ??= new DevicePlan({ ...this.#devices.engine, record: this.#record, devices: this });
    return this.#engine;
  }

  /** Whether a call with so many rows goes by the device: where it was asked for, unless it is lost; else where it is sooner, and there. */
  takes(rows: number): boolean {
    if (this.#closed) return false;
    if (this.isAsked) return this.lowered.some(({ stage }) => stage.isThere);
    const { maxDelayMs } = this.#lowering;
    return this.lowered.some(({ stage }) => {
      stage.prepare();
      const most = maxDelayMs > 0 ? stage.maxBatch : Math.min(rows, stage.maxBatch);
      return stage.isReady && most >= stage.form.fromRows;
    });
  }

  /** Most rows of a block that suit all stages. */
  get maxBatch(): number {
    return Math.min(...this.lowered.map(({ stage }) => stage.maxBatch));
  }

  /** Where each stage runs blocks of so many rows. */
  placement(rows: number): StagePlacement[] {
    return this.#forms.map((form, at): StagePlacement => {
      if (typeof form === 'string') return { stage: at, device: 'cpu', transferBytes: 0, why: form };
      const { stage } = this.lowered.find((one) => one.at === at)!;
      const { provider } = stage;
      const isOnDevice =
        stage.isThere && !stage.health.isAbsent && (this.isAsked || Math.min(rows, stage.maxBatch) >= form.fromRows);
      return {
        stage: at,
        device: isOnDevice ? 'gpu' : 'cpu',
        transferBytes: isOnDevice ? rows * form.bytesPerRow : 0,
        why: whyOf(stage, rows, this.isAsked),
        fromRows: form.fromRows,
        ...(provider !== undefined && { provider }),
      };
    });
  }

  /** Opens what is not open. @throws what the backend throws, where the device was asked for. */
  async open(): Promise<void> {
    const opened = await Promise.allSettled(this.lowered.map(({ stage }) => stage.open()));
    const failed = opened.find((one) => one.status === 'rejected');
    if (this.isAsked && failed !== undefined) throw failed.reason;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#engine?.release();
    for (const { stage } of this.lowered) this.#devices.release(this.#device, stage);
    this.#device.gate.release(this);
  }
}

function formsOf({ compiled }: PlanRecord, { lowering: { mayJump } }: DeviceWish, devices: Devices) {
  const { lowering, options, engine } = devices;
  if (lowering === undefined) return compiled.stages.map(() => 'nothing here lowers stages');
  const { profile } = options;
  const wish = { mayJump, ...(profile && { profile }) };
  return compiled.stages.map((planned) => lowering(planned, (id) => engine.store.get(id), wish));
}

function whyOf({ health, form, provider, maxBatch }: DeviceStage, rows: number, isAsked: boolean): string {
  const { state, lastFailure } = health.stats(provider !== undefined);
  if (state === 'absent' || state === 'resting') return `${state}: ${lastFailure?.split('\n')[0]}`;
  if (isAsked) return 'asked for';
  if (form.fromRows === Number.POSITIVE_INFINITY) return 'the device is never sooner';
  if (form.fromRows > maxBatch) return `it pays from ${form.fromRows} rows on, and calls have ${maxBatch}`;
  return `${shown(form.cpuMicros(rows))} on the CPU, ${shown(form.deviceMicros(rows))} on the device`;
}

const shown = (micros: number) => `${micros < 10 ? micros.toFixed(1) : Math.round(micros)} µs`;
