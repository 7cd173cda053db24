import { BrezelError, type Clock, type ClockTimer } from '@brezel/core';
import { lostPeer, Peer } from './peer.js';
import type { PrimaryMethods, WorkerMethods } from './shared-state.js';

/** A forked process, as the primary uses it. */
export interface WorkerProcess {
  /** Undefined if the operating system could not start the process. */
  readonly pid?: number | undefined;
  send(message: unknown, done: (error: Error | null) => void): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  kill(signal: NodeJS.Signals): unknown;
}

export interface WorkerLinkOptions {
  /** The functions that the worker may call. */
  readonly methods: { readonly [Name in keyof PrimaryMethods]: PrimaryMethods[Name] };
  readonly clock: Clock;
  /** Called once, when the process has ended or could not be started. */
  ended(reason: string): void;
}

/** A worker must call `ready`, and reply to each call of `step`, within this many milliseconds. */
export const STEP_MS = 90_000;

/** The primary's connection to one worker. */
export class WorkerLink {
  readonly pid: number | undefined;
  /** Whether the worker listens and follows all changes. */
  isReady = false;
  hasListened = false;
  /** Whether clients may be connected to the worker. It becomes true before `hasListened`. */
  mayHaveClients = false;
  /** Why the primary killed the worker, or why the process could not be started. */
  cause: Error | undefined;
  readonly #process: WorkerProcess;
  readonly #options: WorkerLinkOptions;
  readonly #peer: Peer<WorkerMethods>;
  readonly #startTimer: ClockTimer;
  #hasEnded = false;

  constructor(process: WorkerProcess, options: WorkerLinkOptions) {
    this.pid = process.pid;
    this.#process = process;
    this.#options = options;
    this.#peer = new Peer(process, { ...options.methods });
    this.#startTimer = this.#limit('the process did not start');
    process.on('exit', (code, signal) => this.#end(signal ?? `exit code ${code}`));
    process.on('error', (error) => {
      // If the process has a pid, it has started. The error is then about a message or a signal,
      // and `exit` reports the end of the process.
      if (this.pid !== undefined) return;
      this.cause ??= error;
      this.#end(error.message);
    });
  }

  /** Stops the timer that limits the start of the process. Called when the worker calls `ready`. */
  begin(): void {
    this.#startTimer.cancel();
  }

  /**
   * Calls a function of the worker. Rejects with ERR_CLI_WORKER if the worker ends before it
   * replies.
   */
  call: Peer<WorkerMethods>['call'] = (method, argument) => this.#peer.call(method, argument);

  /**
   * Calls a function of the worker while changes of models wait. A worker that does not reply in
   * time is killed, because other workers wait for it.
   *
   * @throws ERR_CLI_WORKER if the worker ends or is killed; the error of the function.
   */
  step: Peer<WorkerMethods>['call'] = async (method, argument) => {
    const timer = this.#limit(`the process did not reply to "${method}"`);
    try {
      return await this.#peer.call(method, argument);
    } finally {
      timer.cancel();
    }
  };

  /** Kills the worker. Calls that have no reply yet fail. */
  lose(cause: Error): void {
    this.cause ??= cause;
    this.isReady = false;
    this.#startTimer.cancel();
    this.#peer.end(lostPeer(cause));
    this.#process.kill('SIGKILL');
  }

  #limit(problem: string): ClockTimer {
    const message = `${problem} within ${STEP_MS / 1000} s`;
    return this.#options.clock.setTimeout(() => this.lose(faultyWorker(message)), STEP_MS);
  }

  #end(reason: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.isReady = false;
    this.#startTimer.cancel();
    this.#peer.end(lostPeer());
    this.#options.ended(reason);
  }
}

/** Returns the error for a worker that the primary kills. */
export const faultyWorker = (message: string): Error =>
  new BrezelError('ERR_CLI_WORKER', { message, hint: 'check the load and the memory of the machine' });
