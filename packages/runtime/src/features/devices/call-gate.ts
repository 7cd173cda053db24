import { runtimeError } from '../../errors.js';
import { PRIORITIES, type Priority } from '../../parallel/executors/scheduling-options.js';

interface Waiting {
  readonly rank: number;
  start(): void;
}

/**
 * Limits the number of device calls in flight for one owner, and queues work above the limit. An
 * owner is either one plan with a reservation, or all plans without a reservation together.
 */
class Calls {
  readonly #waiting: Waiting[] = [];
  #limit: number;
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get running(): number {
    return this.#running;
  }

  resize(limit: number): void {
    this.#limit = limit;
    this.#startWaiting();
  }

  async run(rank: number, work: () => Promise<void>): Promise<void> {
    if (this.#running >= this.#limit)
      await new Promise<void>((start) => {
        const after = this.#waiting.findIndex((waiting) => waiting.rank > rank);
        this.#waiting.splice(after < 0 ? this.#waiting.length : after, 0, { rank, start });
      });
    else this.#running++;
    try {
      await work();
    } finally {
      this.#running--;
      this.#startWaiting();
    }
  }

  /**
   * Starts waiting work while the limit allows another call. Increments `#running` before the
   * start, because the started work runs only later.
   */
  #startWaiting(): void {
    while (this.#running < this.#limit && this.#waiting.length > 0) {
      this.#running++;
      this.#waiting.shift()!.start();
    }
  }
}

/**
 * Limits the number of calls in flight to a device. Work of higher priority runs first. A plan with
 * a reservation has a separate limit.
 */
export class CallGate {
  readonly #limit: number;
  readonly #shared: Calls;
  readonly #reserved = new Map<object, { readonly calls: Calls; readonly count: number }>();

  constructor(limit: number) {
    this.#limit = limit;
    this.#shared = new Calls(limit);
  }

  /** The total number of calls that plans have reserved. */
  get reserved(): number {
    let sum = 0;
    for (const { count } of this.#reserved.values()) sum += count;
    return sum;
  }

  get running(): number {
    let sum = this.#shared.running;
    for (const { calls } of this.#reserved.values()) sum += calls.running;
    return sum;
  }

  /**
   * Reserves device calls for a plan. Other plans then share the remaining calls.
   * @throws ERR_RUNTIME_RESERVATION when no call would remain for other plans.
   */
  reserve(owner: object, count: number, plan: string): void {
    const free = this.#limit - this.reserved - 1;
    if (count > free) {
      const expected = `at most ${free} of the device's ${this.#limit} calls`;
      const hint =
        'increase device.calls of createRuntime, or decrease lowering.reserveCalls: other plans need at least one call';
      throw runtimeError('ERR_RUNTIME_RESERVATION', { expected, received: `${count}`, at: plan, hint });
    }
    this.#reserved.set(owner, { calls: new Calls(count), count });
    this.#shared.resize(this.#limit - this.reserved);
  }

  release(owner: object): void {
    if (this.#reserved.delete(owner)) this.#shared.resize(this.#limit - this.reserved);
  }

  /** Runs work as soon as the limit allows one more call. Rejects only if the work rejects. */
  run(owner: object | undefined, priority: Priority, work: () => Promise<void>): Promise<void> {
    const calls = (owner && this.#reserved.get(owner)?.calls) ?? this.#shared;
    return calls.run(PRIORITIES.indexOf(priority), work);
  }
}
