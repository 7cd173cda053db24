import type { Elements } from '@brezel/oip';
import type { BackendTensors, Clock, ClockTimer } from 'brezel';
import type { Replica } from './replica.js';

/** The rows of one call, with the state of their requests and answers. */
interface Job {
  readonly tensors: BackendTensors;
  readonly rows: number;
  /** When the call arrived. */
  readonly since: number;
  /** The answers to rows of this call, one item for each request. */
  readonly answers: Answered[];
  /** The number of rows that are in a request already. */
  taken: number;
  /** The number of rows that have an answer. */
  answered: number;
  isOver: boolean;
  /** The requests in flight with rows of this job. */
  readonly batches: Set<Batch>;
  resolve(): void;
  reject(error: unknown): void;
}

/** The answers to some rows of a call: the elements of each output. */
export interface Answered {
  readonly from: number;
  readonly elements: readonly Elements[];
}

/** Some rows of one call in a request. */
export interface Part {
  readonly tensors: BackendTensors;
  readonly from: number;
  readonly to: number;
}

interface JobPart extends Part {
  readonly job: Job;
}

/** One request with rows of several calls. */
interface Batch {
  readonly parts: readonly JobPart[];
  /** Aborts the request when all its calls have ended. */
  readonly stop: AbortController;
}

/** The functions that send the requests of a queue. */
export interface BatchSender {
  /** Waits for a free replica. */
  acquire(): Promise<Replica>;
  release(replica: Replica): void;
  /** The number of rows of the next request to a replica. */
  sizeOf(replica: Replica): number;
  /** Returns how many milliseconds the oldest row may wait for other rows. */
  waitMs(queued: number): number;
  /**
   * Sends the rows in one request, and releases the replica. Returns the elements of each output,
   * of all rows.
   */
  send(replica: Replica, parts: readonly Part[], signal: AbortSignal): Promise<readonly Elements[]>;
  /**
   * Returns whether the error may come from the rows of one call. The queue then sends the rows of
   * each call again, in separate requests.
   */
  isOfRows(error: unknown): boolean;
}

/**
 * Gathers the rows of concurrent calls into requests. Rows wait until a replica is free. If
 * `waitMs` returns more than 0, they also wait for other rows.
 */
export class BatchQueue {
  readonly #clock: Clock;
  readonly #sender: BatchSender;
  /** The calls whose rows are not all in requests yet, oldest first. */
  readonly #jobs = new Set<Job>();
  /** The number of rows that are not in a request yet. */
  #rows = 0;
  #timer: ClockTimer | undefined;
  #isAcquiring = false;

  constructor(clock: Clock, sender: BatchSender) {
    this.#clock = clock;
    this.#sender = sender;
  }

  /** The number of calls whose rows are not all in requests yet. */
  get calls(): number {
    return this.#jobs.size;
  }

  /**
   * Adds the rows of a call, and waits for their answers. The caller must not change the tensors
   * until the promise settles.
   * @throws the errors of the requests, and the reason of the signal.
   */
  add(tensors: BackendTensors, rows: number, signal: AbortSignal | undefined): Promise<readonly Answered[]> {
    return new Promise((resolve, reject) => {
      const onAbort = () => job.reject(signal!.reason);
      const end = (settle: () => void) => {
        if (job.isOver) return;
        job.isOver = true;
        if (this.#jobs.delete(job)) this.#rows -= job.rows - job.taken;
        signal?.removeEventListener('abort', onAbort);
        for (const { parts, stop } of job.batches)
          if (parts.every((part) => part.job.isOver)) stop.abort(new DOMException('no call waits', 'AbortError'));
        settle();
      };
      const job: Job = {
        tensors,
        rows,
        since: this.#clock.now(),
        answers: [],
        taken: 0,
        answered: 0,
        isOver: false,
        batches: new Set(),
        resolve: () => end(() => resolve(job.answers.toSorted((one, other) => one.from - other.from))),
        reject: (error) => end(() => reject(error)),
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#jobs.add(job);
      this.#rows += rows;
      this.#next();
    });
  }

  /** Rejects the calls whose rows are not all in requests yet. */
  close(error: Error): void {
    this.#timer?.cancel();
    for (const job of [...this.#jobs]) job.reject(error);
  }

  /** Starts a request, or a timer if the rows may wait for other rows. */
  #next(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const [oldest] = this.#jobs;
    if (oldest === undefined || this.#isAcquiring) return;
    const left = oldest.since + this.#sender.waitMs(this.#rows) - this.#clock.now();
    if (left <= 0) void this.#start();
    else this.#timer = this.#clock.setTimeout(() => void this.#start(), left);
  }

  async #start(): Promise<void> {
    if (this.#isAcquiring) return;
    this.#isAcquiring = true;
    try {
      const replica = await this.#sender.acquire();
      const parts = this.#take(this.#sender.sizeOf(replica));
      if (parts.length === 0) this.#sender.release(replica);
      else void this.#send(replica, parts);
    } catch (error) {
      for (const job of [...this.#jobs]) job.reject(error);
    } finally {
      this.#isAcquiring = false;
    }
    this.#next();
  }

  /** Takes at most `size` rows from the oldest calls. */
  #take(size: number): JobPart[] {
    const parts: JobPart[] = [];
    let left = size;
    for (const job of this.#jobs) {
      const { tensors, taken: from } = job;
      const to = Math.min(job.rows, from + left);
      parts.push({ job, tensors, from, to });
      job.taken = to;
      this.#rows -= to - from;
      left -= to - from;
      if (to === job.rows) this.#jobs.delete(job);
      if (left === 0) break;
    }
    return parts;
  }

  async #send(replica: Replica, parts: readonly JobPart[]): Promise<void> {
    const batch: Batch = { parts, stop: new AbortController() };
    for (const { job } of parts) job.batches.add(batch);
    try {
      this.#answer(parts, await this.#sender.send(replica, parts, batch.stop.signal));
    } catch (error) {
      const open = parts.filter(({ job }) => !job.isOver);
      if (parts.length > 1 && this.#sender.isOfRows(error)) for (const part of open) void this.#sendAlone(part);
      else for (const { job } of open) job.reject(error);
    } finally {
      for (const { job } of parts) job.batches.delete(batch);
      this.#next();
    }
  }

  /**
   * Sends the rows of one call again, without rows of other calls. The call then cannot get an
   * error that the rows of another call caused.
   */
  async #sendAlone(part: JobPart): Promise<void> {
    try {
      const replica = await this.#sender.acquire();
      if (part.job.isOver) this.#sender.release(replica);
      else await this.#send(replica, [part]);
    } catch (error) {
      part.job.reject(error);
    }
  }

  /** Gives each call its rows of the answer. */
  #answer(parts: readonly JobPart[], outputs: readonly Elements[]): void {
    const rows = parts.reduce((sum, { from, to }) => sum + to - from, 0);
    let start = 0;
    for (const { job, from, to } of parts) {
      const end = start + to - from;
      const elements = outputs.map((all) => {
        const size = all.length / rows;
        return Array.prototype.slice.call(all, start * size, end * size) as Elements;
      });
      start = end;
      job.answers.push({ from, elements });
      job.answered += to - from;
      if (job.answered === job.rows) job.resolve();
    }
  }
}
