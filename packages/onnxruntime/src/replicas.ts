import type { BackendRunOptions, BackendTensors } from '@brezel/core';
import type { Session, StagePorts } from './session.js';

/**
 * A model in one or several worker threads. All stages with the same model share it. Each request
 * goes to the thread with the fewest requests of this model.
 */
export class Replicas {
  readonly #sessions: readonly Session[];
  #users = 0;

  constructor(sessions: readonly Session[]) {
    this.#sessions = sessions;
  }

  get users(): number {
    return this.#users;
  }

  retain(): void {
    this.#users += 1;
  }

  release(): void {
    this.#users -= 1;
  }

  /**
   * Opens the model in all threads.
   *
   * @throws the errors of `Session.open`.
   */
  async open(): Promise<StagePorts> {
    const [first] = await Promise.all(this.#sessions.map((session) => session.open()));
    return first!;
  }

  run(ports: StagePorts, inputs: BackendTensors, options: BackendRunOptions): Promise<BackendTensors> {
    const session = this.#sessions.reduce((least, session) => (session.load < least.load ? session : least));
    return session.run(ports, inputs, options);
  }

  /** Waits for running requests, then frees the model. */
  async close(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
  }
}
