import type { Backend, BackendModel, BackendOptions, BackendStage } from '@brezel/core';
import { CallGate } from './call-gate.js';
import type { CheckedDevice } from './options.js';

/** A backend together with the execution providers that a plan has selected. */
export class Device {
  readonly backend: Backend;
  readonly providers: readonly string[] | undefined;
  readonly options: CheckedDevice;
  readonly gate: CallGate;
  /** Stages whose last device call failed. */
  readonly #failing = new Set<object>();
  #warnings = 0;

  constructor(backend: Backend, { providers }: BackendOptions, options: CheckedDevice) {
    this.backend = backend;
    this.providers = providers;
    this.options = options;
    this.gate = new CallGate(options.calls);
  }

  get warnings(): number {
    return this.#warnings;
  }

  /** Opens a stage. The CPU also counts as a device if the plan selects a CPU provider. */
  open(model: BackendModel): Promise<BackendStage> {
    return this.backend.open(model, { device: 'gpu', ...(this.providers && { providers: this.providers }) });
  }

  /**
   * Reports a failed stage. Prints one warning, and another one only after all failed stages have
   * recovered.
   */
  failed(stage: object, error: unknown): void {
    const isNews = this.#failing.size === 0;
    this.#failing.add(stage);
    if (!isNews) return;
    this.#warnings += 1;
    const why = error instanceof Error ? error.message.split('\n')[0] : String(error);
    process.emitWarning(
      `backend ${this.backend.name} failed with a lowered stage: it runs on the CPU, and is tried again after ${this.options.retryMs} ms (${why})`,
      { type: 'BrezelWarning', code: 'BREZEL_DEVICE' },
    );
  }

  recovered(stage: object): void {
    this.#failing.delete(stage);
  }
}
