import { cliError } from '../../errors.js';
import type { ModelState, PrimaryMethods } from './shared-state.js';
import { WorkerLink, type WorkerProcess } from './worker-link.js';

/** If this many workers in a row end before they listen, the server ends. */
const FAILED_STARTS = 5;
/** The wait before the second attempt to start a worker. The wait doubles with each attempt. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 10_000;
/**
 * Each crash of a worker within this many milliseconds increases the wait before the next start.
 */
const RECENT_MS = 60_000;
/** Workers that do not end this many milliseconds after `drainMs` are killed. */
const GRACE_MS = 5000;

export interface WorkersOptions {
  readonly count: number;
  readonly port: number;
  readonly drainMs: number;
  fork(): WorkerProcess;
  /** The functions that a worker may call. */
  readonly methods: Omit<PrimaryMethods, 'ready'>;
  /** Returns the current state of each model of the server. */
  models(): readonly ModelState[];
  /** Runs a function while no change of models is in progress. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Called when a worker has ended. */
  ended(worker: WorkerLink): void;
  /** Waits. Returns early if the signal aborts. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Reports an event as one line of text, for example the end of a worker. */
  report(line: string): void;
}

/** The worker processes of a server. A worker that ends is replaced. */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #all = new Set<WorkerLink>();
  readonly #failed: Promise<never>;
  #fail: (error: unknown) => void = () => undefined;
  #listening: ((url: string) => void) | undefined;
  /** The port that the living workers passed to `listen`. */
  #port: number;
  #url: string | undefined;
  #isUp = false;
  readonly #closing = new AbortController();
  #failedStarts = 0;
  #crashes: number[] = [];
  #whenEmpty: (() => void) | undefined;

  constructor(options: WorkersOptions) {
    this.#options = options;
    this.#port = options.port;
    this.#failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.#failed.catch(() => undefined); // also without a caller that waits
  }

  /** Rejects when the server cannot continue, because its workers do not start. */
  get failed(): Promise<never> {
    return this.#failed;
  }

  /** The workers that listen. */
  get ready(): readonly WorkerLink[] {
    return [...this.#all].filter(({ isReady }) => isReady);
  }

  /** The workers that have listened and have not ended, also while they are being killed. */
  get running(): readonly WorkerLink[] {
    return [...this.#all].filter(({ hasListened }) => hasListened);
  }

  /**
   * Starts the workers. Returns the address when all of them listen.
   *
   * @throws the error of the first worker that cannot start.
   */
  start(): Promise<string> {
    const listening = new Promise<string>((resolve) => {
      this.#listening = resolve;
    });
    for (let worker = 0; worker < this.#options.count; worker++) this.#launch();
    return Promise.race([listening, this.#failed]);
  }

  /** Lets the workers answer the requests in flight, and waits for the end of all workers. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const worker of this.#all) worker.call('close').catch(() => undefined); // it has ended
    const timer = setTimeout(() => this.#killAll(), this.#options.drainMs + GRACE_MS);
    if (this.#all.size > 0)
      await new Promise<void>((resolve) => {
        this.#whenEmpty = resolve;
      });
    clearTimeout(timer);
  }

  #killAll(): void {
    for (const worker of this.#all) worker.kill();
  }

  #launch(): void {
    const process = this.#options.fork();
    const worker: WorkerLink = new WorkerLink(process, {
      ...this.#options.methods,
      ready: () => void this.#begin(worker),
    });
    this.#all.add(worker);
    process.on('exit', (code, signal) => this.#ended(worker, signal ?? `exit code ${code}`));
  }

  /** Loads the models of a worker, and lets the worker listen. */
  async #begin(worker: WorkerLink): Promise<void> {
    const { models, exclusively } = this.#options;
    try {
      await worker.call('start', models());
      this.#url = await exclusively(async () => {
        const url = await worker.call('listen', { models: models(), port: this.#portNow() });
        worker.isReady = true;
        worker.hasListened = true;
        return url;
      });
    } catch (error) {
      worker.startError = error;
      worker.kill();
      return;
    }
    this.#failedStarts = 0;
    if (this.#isUp || this.ready.length < this.#options.count) return;
    this.#isUp = true;
    this.#listening?.(this.#url);
  }

  /**
   * Returns the port for the next worker. Workers share one socket if they pass the same port, so
   * all workers pass 0 if the server chose a free port. After the last worker has ended, the socket
   * is closed; the next worker then passes the chosen port.
   */
  #portNow(): number {
    if (this.#url !== undefined && this.ready.length === 0) this.#port = Number(new URL(this.#url).port) || this.#port;
    return this.#port;
  }

  #ended(worker: WorkerLink, reason: string): void {
    this.#all.delete(worker);
    this.#options.ended(worker);
    if (this.#closing.signal.aborted) {
      if (this.#all.size === 0) this.#whenEmpty?.();
      return;
    }
    if (worker.hasListened) this.#replace(worker, reason);
    else this.#retry(worker, reason);
  }

  #replace(worker: WorkerLink, reason: string): void {
    const now = performance.now();
    this.#crashes = [...this.#crashes.filter((time) => now - time < RECENT_MS), now];
    this.#options.report(`worker ${worker.pid} ended (${reason}); another worker starts`);
    void this.#launchAfter(waitMs(this.#crashes.length - 1));
  }

  #retry(worker: WorkerLink, reason: string): void {
    const cause = worker.startError;
    this.#failedStarts++;
    if (!this.#isUp) return this.#fail(cause ?? cliError('ERR_CLI_WORKERS', { received: reason }));
    if (this.#failedStarts >= FAILED_STARTS)
      return this.#fail(cliError('ERR_CLI_WORKERS', { received: `${this.#failedStarts} times: ${reason}`, cause }));
    this.#options.report(`worker ${worker.pid} did not start (${messageOf(cause) ?? reason}); another worker starts`);
    void this.#launchAfter(waitMs(this.#failedStarts));
  }

  async #launchAfter(milliseconds: number): Promise<void> {
    const { signal } = this.#closing;
    if (milliseconds > 0) await this.#options.wait(milliseconds, signal);
    if (!signal.aborted) this.#launch();
  }
}

/**
 * Returns the wait in milliseconds before a worker starts. It is 0 without failures, and doubles
 * with each failure.
 */
const waitMs = (failures: number): number =>
  failures === 0 ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));

const messageOf = (error: unknown): string | undefined => (error instanceof Error ? error.message : undefined);
