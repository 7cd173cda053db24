import {
  type Backend,
  BackendError,
  type BackendModel,
  type BackendOptions,
  type BackendRunOptions,
  type BackendStage,
  type BackendTensors,
  type Clock,
} from '@brezel/core';

/** Opens a black box on a backend. */
export type OpenBox = (backend: Backend, model: BackendModel, options: BackendOptions) => Promise<BackendStage>;

/**
 * Runs black boxes on devices. While a device fails, the CPU session of the same backend runs the
 * boxes of that device.
 */
export class BoxDevices {
  readonly #retryMs: number;
  readonly #clock: Clock;
  /** The boxes that currently run on the CPU because their device failed, by backend. */
  readonly #failing = new WeakMap<Backend, Set<object>>();

  constructor(retryMs: number, clock: Clock) {
    this.#clock = clock;
    this.#retryMs = retryMs;
  }

  /**
   * Opens a box on its device.
   * @throws the errors of the backend, so that the caller that requested a missing device gets the
   * error.
   */
  readonly open: OpenBox = async (backend, model, options) => {
    const stage = await backend.open(model, options);
    if (stage.device === 'cpu') return stage;
    const failing = this.#failing.get(backend) ?? new Set();
    this.#failing.set(backend, failing);
    const onCpu = () => backend.open(model, { device: 'cpu' });
    return new BoxOnDevice(
      stage,
      onCpu,
      { retryMs: this.#retryMs, clock: this.#clock },
      {
        failed: (box, error) => {
          if (failing.size === 0) this.#warn(backend, model, error);
          failing.add(box);
        },
        recovered: (box) => failing.delete(box),
      },
    );
  };

  #warn({ name }: Backend, model: BackendModel, error: unknown): void {
    const why = error instanceof Error ? error.message.split('\n')[0] : String(error);
    process.emitWarning(
      `backend ${name} failed on its device with ${model.name ?? 'a model'}: the CPU runs it, and the device is tried again after ${this.#retryMs} ms (${why})`,
      { type: 'BrezelWarning', code: 'BREZEL_DEVICE' },
    );
  }
}

interface Health {
  failed(box: object, error: unknown): void;
  recovered(box: object): void;
}

/** Codes of errors that the CPU would also report: invalid requests and closed boxes. */
const notOfDevice: ReadonlySet<string> = new Set(['ERR_BACKEND_INPUT', 'ERR_BACKEND_CLOSED']);

class BoxOnDevice implements BackendStage {
  readonly inputs: BackendStage['inputs'];
  readonly outputs: BackendStage['outputs'];
  readonly provider: string;
  readonly device = 'gpu';
  readonly bytes: number;
  readonly #stage: BackendStage;
  readonly #openOnCpu: () => Promise<BackendStage>;
  readonly #retryMs: number;
  readonly #clock: Clock;
  readonly #health: Health;
  #cpu: Promise<BackendStage> | undefined;
  /** Until this time, the box runs on the CPU. */
  #restsUntil = 0;

  constructor(
    stage: BackendStage,
    openOnCpu: () => Promise<BackendStage>,
    { retryMs, clock }: { readonly retryMs: number; readonly clock: Clock },
    health: Health,
  ) {
    this.#clock = clock;
    ({ inputs: this.inputs, outputs: this.outputs, provider: this.provider, bytes: this.bytes } = stage);
    this.#stage = stage;
    this.#openOnCpu = openOnCpu;
    this.#retryMs = retryMs;
    this.#health = health;
  }

  async run(inputs: BackendTensors, options: BackendRunOptions = {}): Promise<BackendTensors> {
    if (this.#clock.now() < this.#restsUntil) return this.#onCpu(inputs, options);
    try {
      const answer = await this.#stage.run(inputs, options);
      this.#health.recovered(this);
      return answer;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof BackendError && notOfDevice.has(error.code)) throw error;
      return this.#insteadOf(error, inputs, options);
    }
  }

  /**
   * Runs a request on the CPU after the device failed. If the CPU reports the same error, the
   * failure does not count against the device.
   */
  async #insteadOf(error: unknown, inputs: BackendTensors, options: BackendRunOptions): Promise<BackendTensors> {
    const answer = await this.#onCpu(inputs, options);
    this.#restsUntil = this.#clock.now() + this.#retryMs;
    this.#health.failed(this, error);
    return answer;
  }

  async #onCpu(inputs: BackendTensors, options: BackendRunOptions): Promise<BackendTensors> {
    if (this.#cpu === undefined) {
      const opening = this.#openOnCpu();
      this.#cpu = opening;
      opening.catch(() => {
        if (this.#cpu === opening) this.#cpu = undefined; // the next request tries again
      });
    }
    return (await this.#cpu).run(inputs, options);
  }

  async dispose(): Promise<void> {
    this.#health.recovered(this);
    const cpu = await this.#cpu?.catch(() => undefined);
    await Promise.all([this.#stage.dispose(), cpu?.dispose()]);
  }
}
