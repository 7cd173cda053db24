import {
  type Backend,
  BackendError,
  type BackendModel,
  type BackendOptions,
  type BackendRunOptions,
  type BackendStage,
  type BackendTensors,
  backendError,
  type Clock,
} from '@brezel/core';

/** Opens a black box on a backend. */
export type OpenBox = (backend: Backend, model: BackendModel, options: BackendOptions) => Promise<BackendStage>;

/**
 * Runs black boxes on devices. If a device fails, the same backend runs the black box on the CPU
 * until a cool-down ends.
 */
export class BoxDevices {
  readonly #retryMs: number;
  readonly #clock: Clock;
  /** For each backend, its black boxes whose device has failed and has not succeeded again. */
  readonly #failing = new WeakMap<Backend, Set<object>>();

  constructor(retryMs: number, clock: Clock) {
    this.#clock = clock;
    this.#retryMs = retryMs;
  }

  /**
   * Opens a black box on the device that the options select.
   * @throws ERR_BACKEND_MODEL for a stage with an invalid `concurrency`; also the errors of the
   * backend, for example if the requested device is missing
   */
  readonly open: OpenBox = async (backend, model, options) => {
    const stage = await openChecked(backend, model, options);
    if (stage.device === 'cpu') return stage;
    const failing = this.#failing.get(backend) ?? new Set();
    this.#failing.set(backend, failing);
    const onCpu = () => openChecked(backend, model, { device: 'cpu' });
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

/** Opens a stage, and checks its `concurrency`: with 0 or NaN, no block of a batch would run. */
const openChecked: OpenBox = async (backend, model, options) => {
  const stage = await backend.open(model, options);
  const { concurrency = 1 } = stage;
  if (Number.isSafeInteger(concurrency) && concurrency >= 1) return stage;
  // An error of `dispose` would hide the cause.
  await Promise.allSettled([(async () => stage.dispose())()]);
  throw backendError('ERR_BACKEND_MODEL', {
    expected: 'concurrency: an integer from 1, or no such field',
    received: String(concurrency),
    at: `backend ${backend.name}, ${model.name ?? 'a model'}`,
    hint: 'correct the field `concurrency` of the stage that the method `open` of the backend returns',
  });
};

interface Health {
  failed(box: object, error: unknown): void;
  recovered(box: object): void;
}

/**
 * Errors with these codes are not caused by the device, so the CPU would report them too: invalid
 * inputs and closed black boxes.
 */
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
  /** The time, by `#clock`, until which the CPU runs the black box. */
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
   * Runs a request on the CPU after the device has failed. Starts the cool-down only if the CPU
   * succeeds, because otherwise the request itself is probably the cause.
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
