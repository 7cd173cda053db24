import type { BackendRunOptions, BackendTensors } from '@brezel/core';
import type { Session, StagePorts } from './session.js';

/** A model in one worker thread or in several, opened once for all who use it; each request goes where the fewest are. */
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

  /** In all threads. @throws as `Session.open`. */
  async open(): Promise<StagePorts> {
    const [first] = await Promise.all(this.#sessions.map((session) => session.open()));
    return first!;
  }

  run(ports: StagePorts, inputs: BackendTensors, options: BackendRunOptions): Promise<BackendTensors> {
    const session = this.#sessions.reduce((least, one) => (one.load < least.load ? one : least));
    return session.run(ports, inputs, options);
  }

  /** Waits for what runs, then lets the model go. */
  async close(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
  }
}
