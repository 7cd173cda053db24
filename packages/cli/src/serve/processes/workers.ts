import { BrezelError, type Clock, type ClockTimer } from '@brezel/core';
import { cliError } from '../../errors.js';
import type { ServerSecrets } from '../secrets.js';
import type { ServerAddresses, ServerPorts } from '../servers.js';
import { lostPeer, receivedError } from './peer.js';
import type { ModelState, PrimaryMethods } from './shared-state.js';
import { faultyWorker, WorkerLink, type WorkerProcess } from './worker-link.js';

/**
 * If the replacement of one worker fails this many times in a row and no worker is ready, the
 * server ends.
 */
const FAILED_STARTS = 5;
/**
 * The wait before the second attempt to start a worker. The wait doubles with each further attempt,
 * up to `LONGEST_WAIT_MS`.
 */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 10_000;
/**
 * A crashed worker is replaced immediately if no other worker has crashed in this many
 * milliseconds. Each further crash in this time doubles the wait before the replacement starts.
 */
const RECENT_MS = 60_000;
/** Workers that do not end this many milliseconds after `closeMs` are killed. */
const GRACE_MS = 5000;
/** The longest delay of a timer of Node, in milliseconds. A longer delay would fire immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface WorkersOptions {
  readonly count: number;
  readonly ports: ServerPorts;
  readonly secrets: ServerSecrets;
  /** The longest time in milliseconds that a worker needs to end after `close`. */
  readonly closeMs: number;
  fork(): WorkerProcess;
  /** The functions that a worker may call. */
  readonly methods: Omit<PrimaryMethods, 'ready' | 'failed'>;
  /** Returns the names of the models of the server. */
  names(): readonly string[];
  /** Returns the current state of a model. A removed model has no versions. */
  stateOf(name: string): ModelState;
  /**
   * Runs a function while no change of models is in progress. Several such functions can run at
   * once.
   */
  withoutChanges<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Runs a function while no change and no function of `withoutChanges` is in progress. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Called when a worker has ended. */
  ended(worker: WorkerLink): void;
  readonly clock: Clock;
  /** Reports an event as one line of text, for example the end of a worker. */
  report(line: string): void;
}

/** The worker processes of a server. A worker that ends is replaced. */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #all = new Set<WorkerLink>();
  readonly #failed: Promise<never>;
  #fail: (error: unknown) => void = () => undefined;
  #listening: ((addresses: ServerAddresses) => void) | undefined;
  #addresses: ServerAddresses | undefined;
  /** The ports that the running workers have received in `listen`. */
  #ports: ServerPorts;
  #isUp = false;
  #isClosing = false;
  /** The timers of workers that wait for their start. */
  readonly #planned = new Set<ClockTimer>();
  #crashes: number[] = [];
  #whenEmpty: (() => void) | undefined;

  constructor(options: WorkersOptions) {
    this.#options = options;
    this.#ports = options.ports;
    this.#failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.#failed.catch(() => undefined); // if no caller waits, a rejection must not end the process
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
   * Starts the workers. Returns the addresses when all of them listen.
   *
   * @throws the error of the first worker that cannot start.
   */
  start(): Promise<ServerAddresses> {
    const listening = new Promise<ServerAddresses>((resolve) => {
      this.#listening = resolve;
    });
    for (let worker = 0; worker < this.#options.count; worker++) this.#launch();
    return Promise.race([listening, this.#failed]);
  }

  /** Lets the workers answer the requests in flight, and waits for the end of all workers. */
  async close(): Promise<void> {
    const { clock, closeMs } = this.#options;
    this.#isClosing = true;
    for (const timer of this.#planned) timer.cancel();
    for (const worker of this.#all) {
      if (worker.mayHaveClients)
        worker.call('close').catch(() => undefined); // the worker has ended already
      else worker.lose(stopping());
    }
    if (this.#all.size === 0) return;
    const empty = new Promise<void>((resolve) => {
      this.#whenEmpty = resolve;
    });
    const timer = clock.setTimeout(() => this.#killAll(), Math.min(LONGEST_TIMER_MS, closeMs + GRACE_MS));
    await empty;
    timer.cancel();
  }

  #killAll(): void {
    for (const worker of this.#all) worker.lose(stopping());
  }

  /** @param failures how many starts in a row have failed before */
  #launch(failures = 0): void {
    const { fork, methods, clock } = this.#options;
    let process: WorkerProcess;
    try {
      process = fork();
    } catch (error) {
      return this.#retry(failures + 1, 'a worker', messageOf(error), error);
    }
    const worker: WorkerLink = new WorkerLink(process, {
      methods: {
        ...methods,
        ready: () => void this.#begin(worker),
        failed: (error) => worker.lose(receivedError(error)),
      },
      clock,
      ended: (reason) => this.#ended(worker, failures, reason),
    });
    this.#all.add(worker);
  }

  /** Loads the models of a worker, and lets the worker listen. */
  async #begin(worker: WorkerLink): Promise<void> {
    const { count, names, stateOf, withoutChanges, exclusively } = this.#options;
    worker.begin();
    try {
      // One call for each model, so that the time limit does not depend on the number of models.
      // A change can remove the file of an earlier state, so each call sends the state of its turn.
      for (const name of names()) await withoutChanges(() => worker.step('commit', stateOf(name)));
      await exclusively(() => this.#listen(worker));
    } catch (error) {
      return worker.lose(error as Error);
    }
    if (this.#isUp || this.ready.length < count) return;
    this.#isUp = true;
    this.#listening?.(this.#addresses!);
  }

  async #listen(worker: WorkerLink): Promise<void> {
    const { names, stateOf, secrets } = this.#options;
    if (this.#isClosing) throw stopping();
    this.#ports = this.#portsNow();
    worker.mayHaveClients = true;
    const addresses = await worker.step('listen', { models: names().map(stateOf), ports: this.#ports, secrets });
    this.#addresses ??= addresses;
    const { http, grpc } = this.#addresses;
    // If the last running worker ends after `#portsNow` has returned port 0, the system chooses a
    // new port. The worker then listens on the wrong port.
    if (addresses.http !== http) throw faultyWorker(`the process listens on ${addresses.http}, not on ${http}`);
    if (addresses.grpc !== grpc)
      throw faultyWorker(`the process listens on ${addresses.grpc} for gRPC, not on ${grpc}`);
    worker.isReady = true;
    worker.hasListened = true;
  }

  /**
   * Returns the ports for the next worker. Workers share one socket if they listen on the same port
   * number. If the user passed port 0, all workers therefore listen on port 0. When no worker is
   * left, the socket is closed, and the next worker must listen on the port that the system chose
   * before.
   */
  #portsNow(): ServerPorts {
    if (this.#addresses === undefined || this.running.length > 0) return this.#ports;
    const { http, grpc } = this.#addresses;
    const chosen = portOf(new URL(http).host, this.#ports.http);
    return { http: chosen, ...(grpc !== undefined && { grpc: portOf(grpc, this.#ports.grpc!) }) };
  }

  #ended(worker: WorkerLink, failures: number, reason: string): void {
    const why = worker.cause === undefined ? reason : messageOf(worker.cause);
    this.#all.delete(worker);
    this.#options.ended(worker);
    if (this.#isClosing) {
      if (this.#all.size === 0) this.#whenEmpty?.();
      return;
    }
    if (worker.hasListened) this.#replace(worker, why);
    else this.#retry(failures + 1, worker.pid === undefined ? 'a worker' : `worker ${worker.pid}`, why, worker.cause);
  }

  #replace(worker: WorkerLink, why: string): void {
    const now = this.#options.clock.now();
    this.#crashes = [...this.#crashes.filter((time) => now - time < RECENT_MS), now];
    this.#options.report(`worker ${worker.pid} ended (${why}); another worker starts`);
    this.#launchAfter(waitMs(this.#crashes.length - 1));
  }

  /** @param failures how many starts in a row have failed */
  #retry(failures: number, name: string, why: string, cause: unknown): void {
    const ownError = cause instanceof BrezelError ? cause : undefined;
    if (!this.#isUp) return this.#fail(ownError ?? cliError('ERR_CLI_WORKERS', { received: why, cause }));
    const { count, report } = this.#options;
    const ready = this.ready.length;
    if (failures >= FAILED_STARTS && ready === 0) {
      const received = `${failures} failed starts in a row, the last because: ${why}`;
      return this.#fail(cliError('ERR_CLI_WORKERS', { received, cause }));
    }
    const wait = waitMs(failures);
    const next = `another worker starts in ${wait} ms; ${ready} of ${count} workers answer requests`;
    report(`${name} did not start (${why}); ${next}`);
    this.#launchAfter(wait, failures);
  }

  #launchAfter(milliseconds: number, failures = 0): void {
    if (milliseconds === 0) return this.#launch();
    const timer = this.#options.clock.setTimeout(() => {
      this.#planned.delete(timer);
      this.#launch(failures);
    }, milliseconds);
    this.#planned.add(timer);
  }
}

/**
 * Returns the wait in milliseconds before a worker starts: 0 without failures, `FIRST_WAIT_MS`
 * after one failure, and twice as long after each further failure, up to `LONGEST_WAIT_MS`.
 */
const waitMs = (failures: number): number =>
  failures === 0 ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : `${error}`);

/** Returns the port in `HOST:PORT`. URLs omit the standard port of their scheme. */
const portOf = (address: string, usual: number): number => Number(/:(\d+)$/.exec(address)?.[1]) || usual;

const stopping = (): Error => lostPeer(new Error('the server stops'));
