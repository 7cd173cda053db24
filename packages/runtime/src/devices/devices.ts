import { type Backend, type BackendOptions, backendError, type DeviceStageForm, type PlanLowering } from '@brezel/core';
import { Device } from './device.js';
import type { EngineParts } from './device-plan.js';
import { DeviceStage } from './device-stage.js';
import type { CheckedDevice, CheckedLowering } from './options.js';
import type { DeviceStatistics } from './statistics.js';

/** The devices of a runtime: plans that name the same providers share one, and its stages. */
export class Devices {
  readonly lowering: PlanLowering | undefined;
  readonly options: CheckedDevice;
  readonly engine: EngineParts;
  readonly #backends: () => readonly Backend[];
  readonly #devices = new Map<string, Device>();
  #owners = 0;
  readonly #ownerNumbers = new WeakMap<object, number>();

  constructor(
    lowering: PlanLowering | undefined,
    options: CheckedDevice,
    backends: () => readonly Backend[],
    engine: EngineParts,
  ) {
    this.lowering = lowering;
    this.options = options;
    this.#backends = backends;
    this.engine = engine;
  }

  /** The first backend that takes lowered stages. */
  get backend(): Backend | undefined {
    return this.#backends().find(({ formats }) => formats.includes('onnx'));
  }

  /** @throws ERR_BACKEND_MISSING when no backend takes lowered stages. */
  device(places: BackendOptions, plan: string): Device {
    const { backend } = this;
    if (backend === undefined) throw backendError('ERR_BACKEND_MISSING', { at: `device of plan ${plan}` });
    const key = `${backend.name} ${places.providers?.join() ?? ''}`;
    const device = this.#devices.get(key) ?? new Device(backend, places, this.options);
    this.#devices.set(key, device);
    return device;
  }

  /** A stage on the device: one for all plans that have it and gather alike. */
  acquire(
    device: Device,
    stageKey: string,
    limits: CheckedLowering,
    owner: object | undefined,
    form: DeviceStageForm,
  ): DeviceStage {
    const { maxBatch, maxDelayMs } = limits;
    const key = [stageKey, maxBatch, maxDelayMs, ...(owner === undefined ? [] : [this.#numberOf(owner)])].join();
    const stage = device.stages.get(key) ?? new DeviceStage({ device, form, key: stageKey, limits, owner });
    device.stages.set(key, stage);
    stage.plans += 1;
    return stage;
  }

  release(device: Device, stage: DeviceStage): void {
    stage.plans -= 1;
    if (stage.plans > 0) return;
    for (const [key, one] of device.stages) if (one === stage) device.stages.delete(key);
    stage.close();
  }

  stats(): DeviceStatistics[] {
    return [...this.#devices.values()].map(({ backend, providers, gate, stages, warnings, options }) => ({
      backend: backend.name,
      ...(providers && { providers }),
      calls: { limit: options.calls, running: gate.running, reserved: gate.reserved },
      warnings,
      stages: [...stages.values()].map((stage) => ({
        key: stage.key,
        plans: stage.plans,
        ...(stage.provider !== undefined && { provider: stage.provider }),
        maxBatch: stage.maxBatch,
        waitingRows: stage.waitingRows,
        ...stage.health.stats(stage.provider !== undefined),
      })),
    }));
  }

  #numberOf(owner: object): number {
    const number = this.#ownerNumbers.get(owner) ?? ++this.#owners;
    this.#ownerNumbers.set(owner, number);
    return number;
  }
}
