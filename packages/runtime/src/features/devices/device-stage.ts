import {
  type BackendStage,
  BrezelError,
  backendError,
  type Clock,
  type ClockTimer,
  type DenseBlock,
  type DeviceStageForm,
} from '@brezel/core';
import type { Priority } from '../../parallel/executors/scheduling-options.js';
import type { Device } from './device.js';
import { GatheredRows } from './gathered-rows.js';
import type { CheckedLowering } from './options.js';
import { StageHealth } from './stage-health.js';
import { type StagedRows, Staging, split } from './staging.js';

/** The rows of one request for a device stage. */
export interface DeviceRequest extends StagedRows {
  /**
   * Whether the plan requested the device. The stage then runs on the device even if the CPU is
   * faster.
   */
  readonly isAsked: boolean;
  readonly priority: Priority;
  readonly remainingMs: number;
  readonly signal?: AbortSignal | undefined;
}

interface Waiting extends DeviceRequest {
  resolve(outputs: DenseBlock[] | undefined): void;
}

export interface DeviceStageParts {
  readonly device: Device;
  readonly form: DeviceStageForm;
  /** The key of the stage. A backend opens one model for all stages with the same key. */
  readonly key: string;
  readonly limits: CheckedLowering;
  readonly clock: Clock;
  /** The plan whose reservation the request uses. */
  readonly owner: object | undefined;
}

/**
 * Runs a stage on a device. One device call runs the rows of several concurrent requests, also of
 * different plans.
 */
export class DeviceStage {
  readonly form: DeviceStageForm;
  readonly health: StageHealth;
  /** Number of plans that use this stage. */
  plans = 0;
  readonly #parts: DeviceStageParts;
  readonly #gathered: GatheredRows<Waiting>;
  readonly #spare: Staging[] = [];
  #stage: Promise<BackendStage> | undefined;
  #open: BackendStage | undefined;
  #maxBatch: number;
  /** Number of calls that wait for the call gate. */
  #asked = 0;
  #closed = false;

  constructor(parts: DeviceStageParts) {
    this.#parts = parts;
    this.form = parts.form;
    this.#maxBatch = parts.limits.maxBatch;
    this.health = new StageHealth(parts.device.options.retryMs, parts.clock);
    this.#gathered = new GatheredRows(parts.limits.maxDelayMs, parts.clock, () => this.#due());
  }

  /**
   * The maximal number of rows in a call. If the device runs out of memory in a call, the new
   * maximum is half of the rows of this call.
   */
  get maxBatch(): number {
    return this.#maxBatch;
  }

  get key(): string {
    return this.#parts.key;
  }

  get waitingRows(): number {
    return this.#gathered.rows;
  }

  /** The provider of the backend, once the stage is open. */
  get provider(): string | undefined {
    return this.#open?.provider;
  }

  /**
   * Whether the stage accepts requests. A failed stage accepts requests again after its cool-down.
   */
  get isThere(): boolean {
    return !this.#closed && !this.health.isResting;
  }

  /**
   * Whether the stage is open and accepts requests. A request then starts without waiting until the
   * stage is open.
   */
  get isReady(): boolean {
    return this.#open !== undefined && this.isThere;
  }

  /** Starts to open a stage that is not open. Does not wait until the stage is open. */
  prepare(): void {
    if (this.#open === undefined && this.isThere && !this.health.isAbsent) this.open().catch(() => undefined);
  }

  announce(rows: number): void {
    this.#gathered.announce(rows);
  }

  arrived(rows: number): void {
    this.#gathered.arrived(rows);
  }

  /**
   * Opens the stage; concurrent callers share one attempt. After a failure, the next call tries
   * again.
   */
  async open(): Promise<void> {
    if (this.#closed) throw backendError('ERR_BACKEND_CLOSED', { at: this.key });
    const { device, form, key } = this.#parts;
    if (this.#stage === undefined) {
      const model = {
        format: 'onnx',
        bytes: form.bytes,
        checksum: `lowered ${key}`,
        name: `lowered stage ${key}`,
      } as const;
      const opening = device.open(model);
      this.#stage = opening;
      opening.then(
        (stage) => this.#isOpen(opening, stage),
        (error) => this.#isShut(opening, error),
      );
    }
    await this.#stage;
  }

  /** Stores an opened stage. Releases it if the stage was closed in the meantime. */
  #isOpen(opening: Promise<BackendStage>, stage: BackendStage): void {
    if (this.#stage !== opening) stage.dispose().catch(() => undefined);
    else {
      this.#open = stage;
      this.health.isAbsent = false;
    }
  }

  /**
   * Handles a failure to open. A missing device is not counted as a failure, because the caller
   * that requested the device gets the error. Every other error counts as a failure of the stage.
   */
  #isShut(opening: Promise<BackendStage>, error: unknown): void {
    if (this.#stage !== opening) return;
    this.#stage = undefined;
    const isAbsent = error instanceof BrezelError && ABSENT.has(error.code);
    if (isAbsent) this.health.absent(error as Error);
    else this.#failed(error);
  }

  /**
   * Returns the outputs of the request's rows. Returns undefined if the CPU must run the rows:
   * there are too few rows for a call, the device has failed, opening the stage failed, or the plan
   * was removed. Also returns undefined if the stage is not open yet and the request does not ask
   * for a device.
   *
   * @throws ERR_BACKEND_PROVIDER, ERR_BACKEND_MISSING or ERR_BACKEND_OPTION if the request asks for
   * a device and the device is unavailable; the reason of the signal if the signal aborts.
   */
  async run(request: DeviceRequest): Promise<DenseBlock[] | undefined> {
    request.signal?.throwIfAborted();
    if (!this.isThere) return this.#onCpu(request);
    if (this.#open === undefined) {
      if (!request.isAsked) return this.#onCpu(request);
      await this.open().catch((error) => {
        if (error instanceof BrezelError && ABSENT.has(error.code)) throw error;
      });
      if (this.#open === undefined) return this.#onCpu(request);
    }
    return new Promise((resolve, reject) => this.#add(request, resolve, reject));
  }

  #onCpu({ rows }: StagedRows): undefined {
    this.health.cpuRows += rows;
    return undefined;
  }

  #add(request: DeviceRequest, resolve: (outputs: DenseBlock[] | undefined) => void, reject: (error: unknown) => void) {
    const { signal } = request;
    const abort = () => {
      this.#gathered.delete(waiter);
      reject(signal!.reason);
    };
    const waiter: Waiting = {
      ...request,
      resolve: (outputs) => {
        signal?.removeEventListener('abort', abort);
        if (outputs === undefined) this.#onCpu(request);
        resolve(outputs);
      },
    };
    signal?.addEventListener('abort', abort, { once: true });
    this.#gathered.add(waiter);
    if (this.#gathered.rows >= (this.#asked + 1) * this.#maxBatch) this.#ask();
  }

  /**
   * Runs the gathered rows at the end of their waiting time. The CPU runs them if they are too few
   * for the device, unless the plan of one of the requests requested the device.
   */
  #due(): void {
    const { rows } = this.#gathered;
    if (rows <= this.#asked * this.#maxBatch) return;
    if (this.#asked === 0 && !this.#isWorthIt([...this.#gathered], rows)) return this.#giveUp();
    this.#ask();
  }

  #isWorthIt(group: readonly Waiting[], rows: number): boolean {
    return rows >= this.form.fromRows || group.some(({ isAsked }) => isAsked);
  }

  #ask(): void {
    const { device, owner } = this.#parts;
    const first = this.#gathered[Symbol.iterator]().next().value as Waiting;
    this.#asked += 1;
    void device.gate.run(owner, first.priority, async () => {
      this.#asked -= 1;
      const group = this.#gathered.take(this.#maxBatch);
      if (this.#gathered.rows > this.#asked * this.#maxBatch) this.#ask();
      if (group.length > 0) await this.#answer(group);
    });
  }

  async #answer(group: readonly Waiting[]): Promise<void> {
    const rows = group.reduce((sum, waiter) => sum + waiter.rows, 0);
    const stage = this.#open;
    if (stage === undefined || !this.isThere || !this.#isWorthIt(group, rows)) {
      for (const waiter of group) waiter.resolve(undefined);
      return;
    }
    const before = this.health.failures;
    try {
      const blocks = await this.#call(stage, group, rows);
      this.health.ran(rows, rows * this.form.bytesPerRow, before);
      if (this.health.failures === before) this.#parts.device.recovered(this);
      for (const [at, waiter] of group.entries()) waiter.resolve(blocks[at]!);
    } catch (error) {
      if (rows > 1 && isOutOfMemory(error)) this.#maxBatch = Math.ceil(rows / 2);
      this.#failed(error);
      if (isLost(error) && this.#open === stage) this.#letGo();
      for (const waiter of group) waiter.resolve(undefined);
    }
  }

  async #call(stage: BackendStage, group: readonly Waiting[], rows: number): Promise<DenseBlock[][]> {
    const staging = this.#spare.pop() ?? new Staging(this.form);
    const { clock } = this.#parts;
    const start = clock.now();
    const answers = await this.#inTime(stage.run(staging.feeds(group, rows), { into: staging.into(rows) }));
    const blocks = split(answers, this.form, group, rows);
    this.health.micros += (clock.now() - start) * 1000;
    // The arrays of a failed call are not reused, because the device may still write into them.
    this.#spare.push(staging);
    return blocks;
  }

  async #inTime<T>(work: Promise<T>): Promise<T> {
    const { timeoutMs } = this.#parts.device.options;
    let timer: ClockTimer | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = () =>
        backendError('ERR_BACKEND_LOST', { received: `no answer within ${timeoutMs} ms`, at: this.key });
      timer = this.#parts.clock.setTimeout(() => reject(error()), timeoutMs);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      timer?.cancel();
    }
  }

  /** Handles a failed call. The stage runs on the CPU until its cool-down ends. */
  #failed(error: unknown): void {
    if (this.#closed) return;
    this.health.failed(error);
    this.#parts.device.failed(this, error);
  }

  /**
   * Counts a failure of the device. Called when the device returned NaN or infinities for many rows
   * for which the CPU computes finite numbers. `rows` is the number of these rows.
   */
  distrust(rows: number): void {
    const received = `NaN or infinity in ${rows} rows where the CPU computes finite numbers`;
    this.#failed(backendError('ERR_BACKEND_RUN', { received, at: this.key }));
  }

  #giveUp(): void {
    for (const waiter of this.#gathered.take(Number.POSITIVE_INFINITY)) waiter.resolve(undefined);
  }

  /**
   * Releases the backend's stage after it was closed or lost, so that the next request opens a new
   * one.
   */
  #letGo(): void {
    const open = this.#open;
    this.#open = undefined;
    this.#stage = undefined;
    open?.dispose().catch(() => undefined);
  }

  /**
   * Closes the stage. The gathered rows are returned to their requests. Each request then runs its
   * rows on the CPU, or fails because its plan was removed.
   */
  close(): void {
    this.#closed = true;
    this.#giveUp();
    this.#parts.device.recovered(this);
    this.#letGo();
  }
}

/** Errors with these codes mean that the device was never available. */
const ABSENT: ReadonlySet<string> = new Set(['ERR_BACKEND_PROVIDER', 'ERR_BACKEND_MISSING', 'ERR_BACKEND_OPTION']);
const LOST: ReadonlySet<string> = new Set(['ERR_BACKEND_LOST', 'ERR_BACKEND_CLOSED']);

const isLost = (error: unknown): boolean => error instanceof BrezelError && LOST.has(error.code);

/**
 * Returns whether an error means that a device ran out of memory. Backends have no error code for
 * this case, so the function searches the messages of CUDA, DirectML, WebGPU and the allocators of
 * onnxruntime.
 */
const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && /out of (?:device )?memory|failed to allocate|bad_alloc|OUT_OF_MEMORY/i.test(error.message);
