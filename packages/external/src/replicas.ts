import type { Clock, ClockTimer } from 'brezel';
import { externalError } from './errors.js';
import type { Replica } from './replica.js';

/** The limits of a group of replicas, and the function that probes a replica. */
export interface ReplicasOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly concurrency: number;
  readonly maxWaiting: number;
  readonly restMs: number;
  readonly maxRestMs: number;
  /** Rejects if the replica cannot answer requests. */
  readonly probe: (replica: Replica) => Promise<void>;
}

/** A request that waits for a replica. */
interface Waiter {
  /** The replicas that could not be reached for this request. */
  readonly tried: ReadonlySet<Replica>;
  readonly resolve: (replica: Replica) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Distributes requests over replicas: each request goes to the replica with the fewest requests in
 * flight. A failed replica receives no requests until a probe succeeds. Each failure doubles the
 * delay until the next probe.
 */
export class Replicas {
  readonly #replicas: readonly Replica[];
  readonly #options: ReplicasOptions;
  readonly #waiters = new Set<Waiter>();
  readonly #timers = new Map<Replica, ClockTimer>();
  /**
   * The index at which the search for a replica starts. It changes after each request, so that
   * requests alternate between replicas with the same load.
   */
  #next = 0;
  #isClosed = false;

  constructor(replicas: readonly Replica[], options: ReplicasOptions) {
    this.#replicas = replicas;
    this.#options = options;
  }

  /** The number of requests that wait for a replica. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /**
   * Waits for a replica and counts the request on it. The caller must call `release`.
   *
   * @param tried replicas that cannot be used for this request.
   * @throws ERR_EXTERNAL_UNAVAILABLE, ERR_EXTERNAL_OVERLOADED, ERR_EXTERNAL_CLOSED, or the reason
   * of the signal.
   */
  async acquire(signal: AbortSignal, tried: ReadonlySet<Replica>): Promise<Replica> {
    signal.throwIfAborted();
    if (this.#isClosed) throw this.#closed();
    const free = this.#freeFor(tried);
    if (free !== undefined) return take(free);
    if (!this.#canWait(tried)) throw this.unavailable();
    const { name: at, maxWaiting } = this.#options;
    if (this.#waiters.size >= maxWaiting)
      throw externalError('ERR_EXTERNAL_OVERLOADED', { expected: `at most ${maxWaiting} (maxWaiting)`, at });
    return this.#wait(signal, tried);
  }

  /** Whether a replica can take a request now. */
  get hasFree(): boolean {
    const { concurrency } = this.#options;
    return this.#replicas.some(({ state, outstanding }) => state === 'up' && outstanding < concurrency);
  }

  /** Ends a request on a replica, and gives free replicas to waiting requests. */
  release(replica: Replica): void {
    replica.outstanding--;
    for (const waiter of this.#waiters) {
      if (!this.hasFree) break;
      this.#serveOne(waiter);
    }
  }

  /** Resets the delay until the next probe of a replica, because the replica has answered. */
  succeeded(replica: Replica): void {
    replica.failuresInRow = 0;
  }

  /** Counts a failure of a replica. Sends it no requests until a later probe succeeds. */
  failed(replica: Replica, error: unknown): void {
    replica.failures++;
    replica.lastError = error;
    if (replica.state !== 'up') return;
    this.#rest(replica);
  }

  /** Rejects the waiting requests and stops all probes. */
  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    for (const waiter of [...this.#waiters]) this.#end(waiter, () => waiter.reject(this.#closed()));
  }

  #wait(signal: AbortSignal, tried: ReadonlySet<Replica>): Promise<Replica> {
    return new Promise((resolve, reject) => {
      const onAbort = () => this.#end(waiter, () => reject(signal.reason));
      const settle = () => signal.removeEventListener('abort', onAbort);
      const waiter: Waiter = {
        tried,
        resolve: (replica) => {
          settle();
          resolve(replica);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiters.add(waiter);
    });
  }

  #end(waiter: Waiter, settle: () => void): void {
    if (this.#waiters.delete(waiter)) settle();
  }

  /** Gives free replicas to waiting requests, and rejects requests that no replica can take. */
  #serve(): void {
    for (const waiter of this.#waiters) this.#serveOne(waiter);
  }

  #serveOne(waiter: Waiter): void {
    const free = this.#freeFor(waiter.tried);
    if (free !== undefined) this.#end(waiter, () => waiter.resolve(take(free)));
    else if (!this.#canWait(waiter.tried)) this.#end(waiter, () => waiter.reject(this.unavailable()));
  }

  #freeFor(tried: ReadonlySet<Replica>): Replica | undefined {
    const count = this.#replicas.length;
    let best: Replica | undefined;
    for (let step = 0; step < count; step++) {
      const replica = this.#replicas[(this.#next + step) % count]!;
      if (replica.state !== 'up' || tried.has(replica)) continue;
      if (replica.outstanding < (best?.outstanding ?? this.#options.concurrency)) best = replica;
    }
    if (best !== undefined) this.#next = (this.#replicas.indexOf(best) + 1) % count;
    return best;
  }

  /** Returns whether a replica that is in state `up` now may take the request later. */
  #canWait(tried: ReadonlySet<Replica>): boolean {
    return this.#replicas.some((replica) => replica.state === 'up' && !tried.has(replica));
  }

  #rest(replica: Replica): void {
    if (this.#isClosed) return;
    const { clock, restMs, maxRestMs } = this.#options;
    replica.state = 'resting';
    const delay = Math.min(maxRestMs, restMs * 2 ** replica.failuresInRow);
    replica.failuresInRow++;
    this.#timers.set(replica, clock.setTimeout(() => void this.#probe(replica), delay).unref());
    this.#serve();
  }

  async #probe(replica: Replica): Promise<void> {
    this.#timers.delete(replica);
    replica.state = 'probing';
    try {
      await this.#options.probe(replica);
    } catch (error) {
      replica.failures++;
      replica.lastError = error;
      this.#rest(replica);
      return;
    }
    if (this.#isClosed) return;
    replica.state = 'up';
    this.#serve();
  }

  #closed(): Error {
    return externalError('ERR_EXTERNAL_CLOSED', { at: this.#options.name });
  }

  /** Returns an error that lists the replicas and their last errors. */
  unavailable(): Error {
    const states = this.#replicas.map(({ label, state, lastError }) => {
      const why = lastError instanceof Error ? lastError.message.slice(0, GREATEST_MESSAGE) : 'no error';
      return `${label} is ${state === 'up' ? 'unreachable' : 'resting'} (${why})`;
    });
    const received = states.slice(0, SHOWN_REPLICAS).join('; ');
    const cause = this.#replicas.find(({ lastError }) => lastError !== undefined)?.lastError;
    return externalError('ERR_EXTERNAL_UNAVAILABLE', { received, at: this.#options.name, cause });
  }
}

const SHOWN_REPLICAS = 3;
const GREATEST_MESSAGE = 200;

function take(replica: Replica): Replica {
  replica.outstanding++;
  return replica;
}
