import {
  type Backend,
  type BackendOptions,
  backendError,
  type Clock,
  type DeviceStageForm,
  type PlanLowering,
} from '@brezel/core';
import { BoxDevices } from './box-devices.js';
import { Device } from './device.js';
import type { EngineParts } from './device-engine.js';
import { DeviceStage } from './device-stage.js';
import type { CheckedDevice, CheckedLowering } from './options.js';
import type { DeviceStatistics } from './statistics.js';

/** The devices of a runtime. Plans that select the same providers share a device and its stages. */
export class Devices {
  readonly lowering: PlanLowering | undefined;
  readonly options: CheckedDevice;
  readonly engine: EngineParts;
  readonly boxes: BoxDevices;
  readonly #backends: () => readonly Backend[];
  readonly #clock: Clock;
  readonly #devices = new Map<string, Device>();
  /** For each device, its open stages by their keys. */
  readonly #stages = new Map<Device, Map<string, DeviceStage>>();
  #owners = 0;
  readonly #ownerNumbers = new WeakMap<object, number>();

  constructor(
    lowering: PlanLowering | undefined,
    options: CheckedDevice,
    backends: () => readonly Backend[],
    engine: EngineParts,
    clock: Clock,
  ) {
    this.#clock = clock;
    this.lowering = lowering;
    this.options = options;
    this.#backends = backends;
    this.engine = engine;
    this.boxes = new BoxDevices(options.retryMs, clock);
  }

  /** The first backend that supports lowered stages. */
  get backend(): Backend | undefined {
    return this.#backends().find(({ formats }) => formats.includes('onnx'));
  }

  /**
   * Returns the device that the options of a plan select.
   * @throws ERR_BACKEND_MISSING when no backend supports lowered stages.
   */
  device(places: BackendOptions, plan: string): Device {
    const { backend } = this;
    if (backend === undefined) throw backendError('ERR_BACKEND_MISSING', { at: `device of plan ${plan}` });
    const key = `${backend.name} ${places.providers?.join() ?? ''}`;
    const known = this.#devices.get(key);
    if (known !== undefined) return known;
    const device = new Device(backend, places, this.options);
    this.#devices.set(key, device);
    this.#stages.set(device, new Map());
    return device;
  }

  /**
   * Returns a stage on a device. Plans with the same stage, `maxBatch` and `maxDelayMs` share one
   * stage on the device. A plan with a reservation has its own: pass this plan as `owner`.
   */
  acquire(
    device: Device,
    stageKey: string,
    limits: CheckedLowering,
    owner: object | undefined,
    form: DeviceStageForm,
  ): DeviceStage {
    const { maxBatch, maxDelayMs } = limits;
    const key = [stageKey, maxBatch, maxDelayMs, ...(owner === undefined ? [] : [this.#numberOf(owner)])].join();
    const stages = this.#stages.get(device)!;
    const stage =
      stages.get(key) ?? new DeviceStage({ device, form, key: stageKey, limits, owner, clock: this.#clock });
    stages.set(key, stage);
    stage.plans += 1;
    return stage;
  }

  release(device: Device, stage: DeviceStage): void {
    stage.plans -= 1;
    if (stage.plans > 0) return;
    const stages = this.#stages.get(device)!;
    for (const [key, other] of stages) if (other === stage) stages.delete(key);
    stage.close();
  }

  stats(): DeviceStatistics[] {
    return [...this.#stages].map(([{ backend, providers, gate, warnings, options }, stages]) => ({
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
