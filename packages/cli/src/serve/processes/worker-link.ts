import { lostPeer, Peer } from './peer.js';
import type { PrimaryMethods, WorkerMethods } from './shared-state.js';

/** A forked process, as the primary uses it. */
export interface WorkerProcess {
  readonly pid?: number | undefined;
  send(message: unknown, done: (error: Error | null) => void): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  kill(signal: NodeJS.Signals): unknown;
}

/** A worker must reply to each call of `WorkerLink.step` within this many milliseconds. */
const STEP_MS = 90_000;

/** The primary's connection to one worker. */
export class WorkerLink {
  readonly pid: number | undefined;
  /** Whether the worker listens and follows all changes. */
  isReady = false;
  hasListened = false;
  /** Why the worker could not start. */
  startError: unknown;
  readonly #process: WorkerProcess;
  readonly #peer: Peer<WorkerMethods>;

  constructor(process: WorkerProcess, methods: { readonly [Name in keyof PrimaryMethods]: PrimaryMethods[Name] }) {
    this.pid = process.pid;
    this.#process = process;
    this.#peer = new Peer(process, { ...methods });
    process.on('exit', () => {
      this.isReady = false;
      this.#peer.end(lostPeer());
    });
  }

  /**
   * Calls a function of the worker. Rejects with ERR_CLI_WORKER if the worker ends before it
   * replies.
   */
  call: Peer<WorkerMethods>['call'] = (method, argument) => this.#peer.call(method, argument);

  /**
   * Calls a function of the worker as a part of a change of models. A worker that does not reply in
   * time is killed, because other workers wait for it.
   */
  async step<Name extends 'prepare' | 'checkUnused' | 'abort' | 'commit'>(
    method: Name,
    argument?: Parameters<WorkerMethods[Name]>[0],
  ): Promise<void> {
    const timer = setTimeout(() => this.kill(), STEP_MS);
    try {
      await this.#peer.call(method, argument as never);
    } finally {
      clearTimeout(timer);
    }
  }

  kill(): void {
    this.isReady = false;
    this.#process.kill('SIGKILL');
  }
}
