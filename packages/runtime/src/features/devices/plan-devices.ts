import {
  type BackendOptions,
  type DevicePlanForm,
  type PartPlacement,
  type StagePlacement,
  stagePlacements,
} from '@brezel/core';
import type { Scheduling } from '../../parallel/executors/scheduling-options.js';
import type { CatalogStage } from '../../plans/catalog.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import type { Device } from './device.js';
import { DeviceEngine, type LoweredStage, type PlanShare } from './device-engine.js';
import type { DeviceStage } from './device-stage.js';
import type { Devices } from './devices.js';
import type { CheckedLowering } from './options.js';

export interface DeviceRequest {
  readonly places: BackendOptions;
  readonly lowering: CheckedLowering;
  readonly scheduling: Scheduling;
}

/** The device stages of a plan. */
export class PlanDevices implements PlanShare {
  /** Whether the plan requested `gpu`. Otherwise each call selects device or CPU. */
  readonly isAsked: boolean;
  readonly priority: Scheduling['priority'];
  readonly lowered: readonly LoweredStage[];
  readonly #record: ServedPlan;
  readonly #form: DevicePlanForm;
  readonly #held: readonly CatalogStage[];
  readonly #devices: Devices;
  readonly #device: Device;
  readonly #lowering: CheckedLowering;
  #engine: DeviceEngine | undefined;
  #closed = false;

  /**
   * Creates the device stages of a plan.
   * @returns undefined if the option `device` is `cpu` (the default), if it is `auto` and no
   * backend supports lowered stages, or if no stage of the plan can run on a device.
   * @throws ERR_BACKEND_MISSING when the plan requested the device and no backend supports lowered
   * stages; ERR_RUNTIME_RESERVATION when too few device calls are left to reserve.
   */
  static of(record: ServedPlan, request: DeviceRequest, devices: Devices): PlanDevices | undefined {
    const { device = 'cpu' } = request.places;
    if (device === 'cpu' || (device === 'auto' && devices.backend === undefined)) return undefined;
    const form = formOf(record, request, devices);
    const isLowered = form?.forms.some((one) => typeof one !== 'string');
    return isLowered ? new PlanDevices(record, form!, request, devices) : undefined;
  }

  private constructor(
    record: ServedPlan,
    form: DevicePlanForm,
    { places, lowering, scheduling }: DeviceRequest,
    devices: Devices,
  ) {
    this.#record = record;
    this.#form = form;
    this.#devices = devices;
    this.#lowering = lowering;
    this.isAsked = places.device === 'gpu';
    this.priority = scheduling.priority;
    this.#device = devices.device(places, record.name);
    const { catalog } = devices.engine;
    this.#held = catalog.add(form.plan);
    const isOwner = lowering.reserveCalls > 0;
    try {
      if (isOwner) this.#device.gate.reserve(this, lowering.reserveCalls, record.name);
    } catch (error) {
      catalog.remove(this.#held);
      throw error;
    }
    this.lowered = form.forms.flatMap((one, at) => {
      if (typeof one === 'string') return [];
      const { key } = form.plan.stages[at]!.stage;
      return [{ at, stage: devices.acquire(this.#device, key, lowering, isOwner ? this : undefined, one) }];
    });
    for (const { stage } of this.lowered) stage.prepare();
  }

  /** The engine for device and CPU stages. Created at the first call that uses the device. */
  get engine(): DeviceEngine {
    const cut = { compiled: this.#form.plan, held: this.#held };
    this.#engine ??= new DeviceEngine({ ...this.#devices.engine, ...cut, record: this.#record, share: this });
    return this.#engine;
  }

  /**
   * Returns whether a call with `rows` rows uses the device. A plan that requested the device
   * always uses it, unless all its device stages are in cool-down. For other plans, a device stage
   * must be ready and faster than the CPU.
   */
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

  /** The largest number of rows that each device stage of the plan accepts in one call. */
  get maxBatch(): number {
    return Math.min(...this.lowered.map(({ stage }) => stage.maxBatch));
  }

  /** Returns where each stage of the plan would run a block of `rows` rows. */
  placement(rows: number): StagePlacement[] {
    const { forms, shares } = this.#form;
    const parts = forms.map((form, at): PartPlacement => {
      if (typeof form === 'string') return { device: 'cpu', transferBytes: 0, why: form };
      return placementOf(this.lowered.find((one) => one.at === at)!.stage, rows, this.isAsked);
    });
    return stagePlacements(this.#record.compiled.stages.length, shares, parts);
  }

  /**
   * Opens all device stages. Throws the errors of the backend only if the plan requested the
   * device.
   */
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
    this.#devices.engine.catalog.remove(this.#held);
  }
}

function formOf({ compiled }: ServedPlan, { places, lowering: limits }: DeviceRequest, devices: Devices) {
  const { lowering, options, engine } = devices;
  const { mayJump, keepStages, maxBatch } = limits;
  const isAsked = places.device === 'gpu';
  const request = { mayJump, keepStages, maxBatch, isAsked, ...(options.profile && { profile: options.profile }) };
  return lowering?.(compiled, (id) => engine.store.get(id), request);
}

function placementOf(stage: DeviceStage, rows: number, isAsked: boolean): PartPlacement {
  const { provider, form, health } = stage;
  const isSooner = isAsked || Math.min(rows, stage.maxBatch) >= form.fromRows;
  const isOnDevice = stage.isThere && !health.isAbsent && isSooner;
  return {
    device: isOnDevice ? 'gpu' : 'cpu',
    transferBytes: isOnDevice ? rows * form.bytesPerRow : 0,
    why: whyOf(stage, rows, isAsked),
    fromRows: form.fromRows,
    ...(provider !== undefined && { provider }),
  };
}

function whyOf({ health, form, provider, maxBatch }: DeviceStage, rows: number, isAsked: boolean): string {
  const { state, lastFailure } = health.stats(provider !== undefined);
  if (state === 'absent' || state === 'resting') return `${state}: ${lastFailure?.split('\n')[0]}`;
  if (isAsked) return 'requested';
  if (form.fromRows === Number.POSITIVE_INFINITY) return 'the device is never faster';
  if (form.fromRows > maxBatch) return `it pays from ${form.fromRows} rows on, and calls have ${maxBatch}`;
  return `${shown(form.cpuMicros(rows))} on the CPU, ${shown(form.deviceMicros(rows))} on the device`;
}

const shown = (micros: number) => `${micros < 10 ? micros.toFixed(1) : Math.round(micros)} µs`;
